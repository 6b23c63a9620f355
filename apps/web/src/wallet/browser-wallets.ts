// The wallets that extensions announce (EIP-6963), or the older `window.ethereum` if none is announced.
import type { Eip1193Provider } from '@presage/sdk';
import { Store } from '../state/store.ts';

export interface BrowserWallet {
  /** The extension's reverse domain name, the same in every session: `io.metamask`. */
  readonly id: string;
  readonly name: string;
  readonly provider: ListeningProvider;
}

/** Most providers also report changes of account and chain. */
interface ListeningProvider extends Eip1193Provider {
  on?(event: string, listener: (value: unknown) => void): void;
  removeListener?(event: string, listener: (value: unknown) => void): void;
}

interface Announcement {
  readonly info: { readonly rdns: string; readonly name: string };
  readonly provider: ListeningProvider;
}

/** Wait for extensions that start after the page. */
const PATIENCE_MS = 400;
const LEGACY = 'window.ethereum';

/** Wallets announced so far. */
export const browserWallets = new Store<readonly BrowserWallet[]>([]);

addEventListener('eip6963:announceProvider', (event) => {
  // EIP-6963 defines this event.
  const { info, provider } = (event as CustomEvent<Announcement>).detail;
  const wallet = { id: info.rdns, name: info.name, provider };
  browserWallets.update((wallets) => [...wallets.filter(({ id }) => id !== wallet.id), wallet]);
});
dispatchEvent(new Event('eip6963:requestProvider'));

function legacyWallet(): BrowserWallet | undefined {
  // Extensions older than EIP-6963 set this global.
  const provider = (globalThis as { ethereum?: ListeningProvider }).ethereum;
  return provider && { id: LEGACY, name: 'Browser wallet', provider };
}

export function listBrowserWallets(): readonly BrowserWallet[] {
  const announced = browserWallets.get();
  const legacy = legacyWallet();
  return announced.length > 0 || legacy === undefined ? announced : [legacy];
}

/** The wallet with this id, else the first one; waits a moment for extensions that are still starting. */
export async function findBrowserWallet(id: string | undefined): Promise<BrowserWallet | undefined> {
  const find = () => listBrowserWallets().find((wallet) => wallet.id === id);
  if (find() === undefined && id !== LEGACY) {
    dispatchEvent(new Event('eip6963:requestProvider'));
    if (browserWallets.get().length === 0 && legacyWallet() === undefined) {
      await new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
    }
  }
  return find() ?? listBrowserWallets()[0];
}
