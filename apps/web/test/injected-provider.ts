// A simulated wallet extension: announced by EIP-6963 or on `window.ethereum`, with a real key outside the browser.
import type { Page } from 'playwright-core';
import { createPublicClient, createWalletClient, type Hex, http, type LocalAccount } from 'viem';

type Account = Pick<LocalAccount, 'address' | 'signMessage' | 'signTypedData' | 'signTransaction'>;

interface SentCall {
  readonly to: Hex;
  readonly data: Hex;
}

interface ProviderCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

export interface Extension {
  /** Methods in the order the page called them. */
  readonly calls: string[];
  /** True to answer the next signature, or the next switch of chains, as a user who says no. */
  isRefusing: boolean;
  chainId: string;
  /** The user picks another account in the extension, or disconnects the page. */
  pickAccount(account: Account | undefined): Promise<void>;
  /** The user picks another chain in the extension. */
  pickChain(chainId: string): Promise<void>;
}

const REFUSAL = 'refused by the user';

/** On the chain that it shows, or not at all. */
async function sendAs(account: Account, { to, data }: SentCall, chainId: string, rpcUrl?: string): Promise<Hex> {
  const wallet = createWalletClient({ account: account as LocalAccount, transport: http(rpcUrl) });
  if ((await wallet.getChainId()) !== Number(chainId)) throw new Error('the extension shows another chain');
  return wallet.sendTransaction({ to, data, chain: null });
}

/** Call it before the page that uses it is loaded. The extension starts on another chain than the exchange's; `rpcUrl` is the node it sends to. */
export async function giveProvider(page: Page, first: Account, rpcUrl?: string): Promise<Extension> {
  let account: Account | undefined = first;
  const askNode = (question: object) => createPublicClient({ transport: http(rpcUrl) }).request(question as never);
  const emit = (event: string, value: unknown) =>
    page.evaluate(`window.emitFromExtension(${JSON.stringify(event)}, ${JSON.stringify(value)})`);
  const extension: Extension = {
    calls: [],
    isRefusing: false,
    chainId: '0x1',
    pickAccount: async (next) => {
      account = next;
      await emit('accountsChanged', next === undefined ? [] : [next.address]);
    },
    pickChain: async (chainId) => {
      extension.chainId = chainId;
      await emit('chainChanged', chainId);
    },
  };
  await page.exposeFunction('askExtension', ({ method, params = [] }: ProviderCall) => {
    extension.calls.push(method);
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return account ? [account.address] : [];
    if (method === 'eth_chainId') return extension.chainId;
    if (extension.isRefusing) return REFUSAL;
    if (method === 'wallet_switchEthereumChain') {
      extension.chainId = (params[0] as { readonly chainId: string }).chainId;
      return null;
    }
    if (method === 'eth_signTypedData_v4') return account?.signTypedData(JSON.parse(String(params[1])));
    if (method === 'personal_sign') return account?.signMessage({ message: { raw: params[0] as `0x${string}` } });
    if (method === 'eth_sendTransaction') return sendAs(account!, params[0] as SentCall, extension.chainId, rpcUrl);
    if (['eth_call', 'eth_getTransactionReceipt'].includes(method)) return askNode({ method, params });
    throw new Error(`the extension does not know ${method}`);
  });
  await page.addInitScript(`(() => {
    const listeners = new Map();
    const of = (event) => listeners.get(event) ?? listeners.set(event, new Set()).get(event);
    window.emitFromExtension = (event, value) => [...of(event)].forEach((listener) => listener(value));
    const request = async (call) => {
      const answer = await window.askExtension(call);
      if (answer === '${REFUSAL}') throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
      return answer;
    };
    const provider = {
      request,
      on: (event, listener) => of(event).add(listener),
      removeListener: (event, listener) => of(event).delete(listener),
    };
    const detail = { info: { uuid: '1', name: 'Test Wallet', icon: 'data:,', rdns: 'test.wallet' }, provider };
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  })();`);
  return extension;
}
