// Short messages about what just happened: one per subject, changed in place, dismissed automatically unless something failed.
import { Listeners } from '@presage/runtime';
import { Store } from './store.ts';

export type ToastTone = 'ok' | 'wait' | 'warn' | 'bad';

export interface Toast {
  /** A later message with the same key replaces this one. */
  readonly key: string;
  /** Id of the event, the same in every tab and after a reload, so that it becomes only one notice. */
  readonly id?: string | undefined;
  readonly tone: ToastTone;
  readonly title: string;
  readonly text?: string | undefined;
  /** Hash of a transaction, for a link to its chain's explorer. */
  readonly txHash?: string | undefined;
  readonly chainId?: number | undefined;
  readonly link?: { readonly href: string; readonly text: string } | undefined;
  /** Request id for the operator, shown on demand. */
  readonly requestId?: string | undefined;
}

/** Time on the screen. Failures and work in progress stay until they are dismissed or replaced. */
const LIFE_MS = { ok: 5_000, wait: undefined, warn: 10_000, bad: undefined };

export class Toasts {
  /** Visible messages, newest first. */
  readonly list = new Store<readonly Toast[]>([]);
  readonly #listeners = new Listeners<[toast: Toast]>();
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();

  /** The listener is called with every message, including one that replaces another. */
  listen(listener: (toast: Toast) => void): () => void {
    return this.#listeners.add(listener);
  }

  show(toast: Toast): void {
    this.#listeners.call(toast);
    clearTimeout(this.#timers.get(toast.key));
    this.list.update((list) => {
      const isKnown = list.some(({ key }) => key === toast.key);
      return isKnown ? list.map((each) => (each.key === toast.key ? toast : each)) : [toast, ...list];
    });
    const lifeMs = LIFE_MS[toast.tone];
    if (lifeMs === undefined) return;
    const timer = setTimeout(() => this.dismiss(toast.key), lifeMs);
    this.#timers.set(toast.key, timer);
  }

  dismiss(key: string): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    this.list.update((list) => list.filter((toast) => toast.key !== key));
  }
}
