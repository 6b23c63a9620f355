// The page's wallets: a demo key stored in this browser, or a wallet injected by an extension.
import {
  type ApiKey,
  createTradingClient,
  type Eip1193Provider,
  type ServiceConfig,
  type TradingClient,
} from '@presage/sdk';

export type WalletKind = 'demo' | 'injected';

export interface OpenWallet {
  readonly kind: WalletKind;
  readonly address: string;
  readonly client: TradingClient;
}

const DEMO_KEY = 'presage.demo-wallet';
const KIND_KEY = 'presage.wallet-kind';
const API_KEY = 'presage.api-key';
const UNKNOWN_CHAIN = 4902;

export function rememberedKind(): WalletKind | undefined {
  const kind = localStorage.getItem(KIND_KEY);
  return kind === 'demo' || kind === 'injected' ? kind : undefined;
}

export function rememberKind(kind: WalletKind | undefined): void {
  if (kind === undefined) localStorage.removeItem(KIND_KEY);
  else localStorage.setItem(KIND_KEY, kind);
}

/** The same wallet in every session: the key never leaves this browser. */
export async function openDemoWallet(url: string): Promise<OpenWallet & { readonly isNew: boolean }> {
  const { generatePrivateKey, privateKeyToAccount } = await import('../lib/demo-key.ts');
  const kept = localStorage.getItem(DEMO_KEY);
  const key = (kept ?? generatePrivateKey()) as `0x${string}`;
  if (kept === null) localStorage.setItem(DEMO_KEY, key);
  const account = privateKeyToAccount(key);
  const client = createTradingClient({ url, account, ...keptApiKey(account.address) });
  return { kind: 'demo', address: account.address, client, isNew: kept === null };
}

export function injectedProvider(): Eip1193Provider | undefined {
  return (globalThis as { ethereum?: Eip1193Provider }).ethereum;
}

export interface InjectedOptions {
  readonly url: string;
  readonly config: ServiceConfig;
  /** False to only check whether the page is still connected, without opening the wallet's window. */
  readonly mayAsk: boolean;
}

export async function openInjectedWallet({ url, config, mayAsk }: InjectedOptions): Promise<OpenWallet | undefined> {
  const provider = injectedProvider();
  if (provider === undefined) throw new Error('This browser has no wallet extension. The demo wallet needs none.');
  const method = mayAsk ? 'eth_requestAccounts' : 'eth_accounts';
  const [address] = (await provider.request({ method })) as readonly string[];
  if (address === undefined) return undefined;
  if (mayAsk) await switchChain(provider, config);
  const client = createTradingClient({ url, account: { provider, address }, ...keptApiKey(address) });
  return { kind: 'injected', address: client.address, client };
}

/** Wallets refuse to sign for a chain they are not connected to. */
async function switchChain(provider: Eip1193Provider, { chains }: ServiceConfig): Promise<void> {
  const chain = chains[0];
  if (chain === undefined) return;
  const chainId = `0x${chain.chainId.toString(16)}`;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId }] });
  } catch (error) {
    if ((error as { code?: number }).code !== UNKNOWN_CHAIN || chain.rpcUrl === undefined) throw error;
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const params = [{ chainId, chainName: chain.name, rpcUrls: [chain.rpcUrl], nativeCurrency }];
    await provider.request({ method: 'wallet_addEthereumChain', params });
  }
}

function keptApiKey(address: string): { readonly apiKey?: ApiKey } {
  const text = localStorage.getItem(`${API_KEY}.${address.toLowerCase()}`);
  return text === null ? {} : { apiKey: JSON.parse(text) as ApiKey };
}

export function keepApiKey(address: string, apiKey: ApiKey): void {
  localStorage.setItem(`${API_KEY}.${address.toLowerCase()}`, JSON.stringify(apiKey));
}
