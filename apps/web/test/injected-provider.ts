// A simulated wallet extension: EIP-1193 on `window.ethereum`, with a real key outside the browser.
import type { walletOf } from '@presage/testkit';
import type { Page } from 'playwright-core';

interface ProviderCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Call it before the page that uses it is loaded. */
export async function giveProvider(page: Page, account: ReturnType<typeof walletOf>): Promise<void> {
  await page.exposeFunction('askExtension', ({ method, params = [] }: ProviderCall) => {
    if (method === 'eth_requestAccounts' || method === 'eth_accounts') return [account.address];
    if (method === 'wallet_switchEthereumChain') return null;
    if (method === 'eth_signTypedData_v4') return account.signTypedData(JSON.parse(String(params[1])));
    if (method === 'personal_sign') return account.signMessage({ message: { raw: params[0] as `0x${string}` } });
    throw new Error(`the extension does not know ${method}`);
  });
  await page.addInitScript('window.ethereum = { request: (call) => window.askExtension(call) };');
}
