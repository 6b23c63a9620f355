// The wallets that extensions announce (EIP-6963), and the older `window.ethereum` where nothing is announced.
import type { Eip1193Provider } from '@presage/sdk';
import { Store } from '../state/store.ts';

export interface BrowserWallet {
  /** The extension's own name for itself, the same in every session: `io.metamask`. */
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

/** Long enough for an extension that wakes up after the page. */
const PATIENCE_MS = 400;
const LEGACY = 'window.ethereum';

/** All that have announced themselves so far. */
export const browserWallets = new Store<readonly BrowserWallet[]>([]);

addEventListener('eip6963:announceProvider', (event) => {
  // As EIP-6963 describes it.
  const { info, provider } = (event as CustomEvent<Announcement>).detail;
  const wallet = { id: info.rdns, name: info.name, provider };
  browserWallets.update((wallets) => [...wallets.filter(({ id }) => id !== wallet.id), wallet]);
});
dispatchEvent(new Event('eip6963:requestProvider'));

function legacyWallet(): BrowserWallet | undefined {
  // Extensions older than EIP-6963 leave their provider here.
  const provider = (globalThis as { ethereum?: ListeningProvider }).ethereum;
  return provider && { id: LEGACY, name: 'Browser wallet', provider };
}

export function listBrowserWallets(): readonly BrowserWallet[] {
  const announced = browserWallets.get();
  const legacy = legacyWallet();
  return announced.length > 0 || legacy === undefined ? announced : [legacy];
}

/** The named one, else the first; waits a moment for extensions that are still waking up. */
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
