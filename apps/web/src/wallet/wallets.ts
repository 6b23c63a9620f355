// The page's wallets: a demo key stored in this browser, or a wallet announced by an extension.
import { asHex, isObject } from '@presage/protocol/browser';
import { codeOf } from '@presage/runtime';
import {
  type ApiKey,
  type ChainConfig,
  createTradingClient,
  type Eip1193Provider,
  PresageApiError,
  type ServiceConfig,
  type TradingClient,
  type TradingClientOptions,
} from '@presage/sdk';
import { isRefusal } from '../state/failure.ts';
import { keep, keepText, recall, recallText } from '../state/kept.ts';
import { type BrowserWallet, findBrowserWallet } from './browser-wallets.ts';

export type WalletKind = 'demo' | 'injected';

export interface OpenWallet {
  readonly kind: WalletKind;
  readonly address: string;
  readonly client: TradingClient;
  /** True if the client has an API key of an earlier visit. */
  readonly hasApiKey: boolean;
  /** The extension that the wallet belongs to; absent for a demo wallet. */
  readonly browserWallet?: BrowserWallet;
  /** Sends requests to the extension, on the chain that they concern; absent for a demo wallet. */
  readonly provider?: Eip1193Provider;
}

const DEMO_KEY = 'presage.demo-wallet';
export const KIND_KEY = 'presage.wallet-kind';
const CHOSEN_KEY = 'presage.wallet-id';
const API_KEY = 'presage.api-key';

export function rememberedKind(): WalletKind | undefined {
  const kind = recallText(KIND_KEY);
  return kind === 'demo' || kind === 'injected' ? kind : undefined;
}

export function rememberKind(kind: WalletKind | undefined, walletId?: string): void {
  keepText(KIND_KEY, kind);
  if (walletId !== undefined) keepText(CHOSEN_KEY, walletId);
}

/** Opens the demo wallet, the same in every session; its key never leaves this browser. */
export async function openDemoWallet(url: string): Promise<OpenWallet & { readonly isNew: boolean }> {
  const { generatePrivateKey, openKey } = await import('./demo-key.ts');
  const kept = recallText(DEMO_KEY);
  const key = asHex(kept ?? generatePrivateKey());
  if (kept === undefined) keepText(DEMO_KEY, key);
  const account = openKey(key);
  return { kind: 'demo', ...openClient({ url, account }), isNew: kept === undefined };
}

export interface InjectedOptions {
  readonly url: string;
  readonly config: ServiceConfig;
  /** False to check only whether the page is still connected, without opening the wallet's window. */
  readonly mayAsk: boolean;
  /** Id of the extension to open; by default the one chosen last, or the first. */
  readonly walletId?: string | undefined;
}

export async function openInjectedWallet(options: InjectedOptions): Promise<OpenWallet | undefined> {
  const { url, config, mayAsk, walletId } = options;
  const browserWallet = await findBrowserWallet(walletId ?? recallText(CHOSEN_KEY));
  if (browserWallet === undefined) {
    if (!mayAsk) return undefined;
    throw new Error('This browser has no wallet extension. The demo wallet needs none.');
  }
  const method = mayAsk ? 'eth_requestAccounts' : 'eth_accounts';
  // EIP-1102 returns a list of addresses.
  const [address] = (await browserWallet.provider.request({ method })) as readonly string[];
  if (address === undefined) return undefined;
  const provider: Eip1193Provider = onRightChain(browserWallet.provider, config);
  return { kind: 'injected', ...openClient({ url, account: { provider, address } }), browserWallet, provider };
}

/** Creates a client with the API key of an earlier visit, if there is one. */
function openClient(options: TradingClientOptions): Pick<OpenWallet, 'address' | 'client' | 'hasApiKey'> {
  const bare = createTradingClient(options);
  const { address } = bare;
  // `keepApiKey` stores nothing else under this name.
  const apiKey = recall(keyNameOf(address)) as ApiKey | undefined;
  if (apiKey === undefined) return { address, client: bare, hasApiKey: false };
  return { address, client: createTradingClient({ ...options, apiKey }), hasApiKey: true };
}

/** Forgets a revoked or expired API key of an earlier visit, so that the next setup creates another. Resolves to whether it did. */
export async function forgetRefusedKey({ address, client, hasApiKey }: OpenWallet): Promise<boolean> {
  if (!hasApiKey) return false;
  const error: unknown = await client.listApiKeys().catch((error) => error);
  const isRefused = error instanceof PresageApiError && error.code.startsWith('api_key_');
  if (isRefused) keep(keyNameOf(address), undefined);
  return isRefused;
}

export function keepApiKey(address: string, apiKey: ApiKey): void {
  keep(keyNameOf(address), apiKey);
}

function keyNameOf(address: string): string {
  return `${API_KEY}.${address.toLowerCase()}`;
}

type Call = Parameters<Eip1193Provider['request']>[0];

const UNKNOWN_CHAIN = 4902;
const OF_A_CHAIN = new Set(['eth_signTypedData_v4', 'personal_sign', 'eth_sendTransaction', 'eth_call']);

function onRightChain(provider: Eip1193Provider, config: ServiceConfig): Eip1193Provider {
  return {
    request: async (call) => {
      if (OF_A_CHAIN.has(call.method)) await ensureChain(provider, chainOf(call, config));
      return provider.request(call);
    },
  };
}

/** Chain of a request: the one that a transaction or typed data names; the first chain for other requests. */
function chainOf({ params }: Call, { chains }: ServiceConfig): ChainConfig | undefined {
  const [sent, typed] = Array.isArray(params) ? params : [];
  const ofTyped = typeof typed === 'string' ? /"chainId":"?(\d+)/.exec(typed)?.[1] : undefined;
  const named = (isObject(sent) ? sent.chainId : undefined) ?? ofTyped;
  return chains.find(({ chainId }) => chainId === Number(named)) ?? chains[0];
}

/** Wallets refuse to sign for a chain they are not connected to. */
async function ensureChain(provider: Eip1193Provider, chain: ChainConfig | undefined): Promise<void> {
  if (chain === undefined) return;
  const chainId = `0x${chain.chainId.toString(16)}`;
  const current = await provider.request({ method: 'eth_chainId' });
  if (Number(current) === chain.chainId) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if (isRefusal(error)) throw error;
    if (codeOf(error) !== UNKNOWN_CHAIN || chain.rpcUrl === undefined) {
      throw new Error(`Your wallet is on another chain. Change it to ${chain.name} and try again`, { cause: error });
    }
    // Only a sandbox names its node, and its chain takes Ether for gas.
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const params = [{ chainId, chainName: chain.name, rpcUrls: [chain.rpcUrl], nativeCurrency }];
    await provider.request({ method: 'wallet_addEthereumChain', params });
  }
}
