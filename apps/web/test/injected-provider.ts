// A simulated wallet extension: announced by EIP-6963 or on `window.ethereum`, with a real key outside the browser.
import type { walletOf } from '@presage/testkit';
import type { Page } from 'playwright-core';

interface ProviderCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

export interface Extension {
  /** Methods in the order the page called them. */
  readonly calls: string[];
  /** True to answer the next signature as a user who says no. */
  isRefusing: boolean;
}

const REFUSAL = 'refused by the user';

/** Call it before the page that uses it is loaded. The extension starts on another chain than the exchange's. */
export async function giveProvider(page: Page, account: ReturnType<typeof walletOf>): Promise<Extension> {
  const extension: Extension = { calls: [], isRefusing: false };
  let chainId = '0x1';
  await page.exposeFunction('askExtension', ({ method, params = [] }: ProviderCall) => {
    extension.calls.push(method);
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address];
    if (method === 'eth_chainId') return chainId;
    if (method === 'wallet_switchEthereumChain') {
      chainId = (params[0] as { readonly chainId: string }).chainId;
      return null;
    }
    if (extension.isRefusing) return REFUSAL;
    if (method === 'eth_signTypedData_v4') return account.signTypedData(JSON.parse(String(params[1])));
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] as `0x${string}` } });
    throw new Error(`the extension does not know ${method}`);
  });
  await page.addInitScript(`(() => {
    const request = async (call) => {
      const answer = await window.askExtension(call);
      if (answer === '${REFUSAL}') throw Object.assign(new Error('User rejected the request.'), { code: 4001 });
      return answer;
    };
    const detail = { info: { uuid: '1', name: 'Test Wallet', icon: 'data:,', rdns: 'test.wallet' }, provider: { request } };
    const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  })();`);
  return extension;
}
