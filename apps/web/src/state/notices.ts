// What happened to the visitor: fills, settlements, failures, results and claims, kept in this browser over reloads, read or not.
import { keep, keepText, recall, recallText } from './kept.ts';
import { Store } from './store.ts';
import type { Toast, Toasts } from './toasts.ts';

export interface Notice {
  readonly id: string;
  /** Unix seconds, by this computer's clock. */
  readonly time: number;
  readonly title: string;
  readonly text: string | undefined;
  readonly isRead: boolean;
}

const KEY = 'presage.notices';
const ALERTS_KEY = 'presage.notices-alerts';
const MOST = 100;
/** Toasts about money and orders without an id; the others answer a press and are over with it. */
const KEPT = /^(order|resolution|pairs)\b/;

export class Notices {
  /** Newest first. */
  readonly list = new Store<readonly Notice[]>(read());
  readonly hasAlerts = new Store(isChosen());
  /** The time of this load of the page, and how many it brought: other loads and tabs bring others. */
  readonly #load = Date.now();
  #count = 0;

  constructor(toasts: Toasts) {
    toasts.listen((toast) => this.#onToast(toast));
    addEventListener('storage', ({ key }) => {
      if (key === KEY) this.list.set(read());
      else if (key === ALERTS_KEY) this.hasAlerts.set(isChosen());
    });
  }

  markRead(): void {
    this.#keep(this.list.get().map((notice) => ({ ...notice, isRead: true })));
  }

  /** Asks the browser the first time; stays off where it says no. */
  async switchAlerts(): Promise<void> {
    this.#setAlerts(!this.hasAlerts.get() && (await Notification.requestPermission()) === 'granted');
  }

  #setAlerts(isOn: boolean): void {
    this.hasAlerts.set(isOn);
    keepText(ALERTS_KEY, isOn ? 'on' : 'off');
  }

  /** Once for each id: several tabs learn of the same. */
  add({ id, title, text }: Pick<Notice, 'id' | 'title' | 'text'>): void {
    // Read anew, since another tab may have kept one meanwhile.
    const list = read();
    if (list.some((each) => each.id === id)) return;
    const notice = { id, time: Math.floor(Date.now() / 1_000), title, text, isRead: false };
    this.#keep([notice, ...list].slice(0, MOST));
    if (!this.hasAlerts.get() || !document.hidden) return;
    try {
      // The browser shows one notification of a tag, should two tabs be as fast as each other.
      new Notification(title, { tag: id, ...(text !== undefined && { body: text }) });
    } catch {
      // Android allows them to service workers only.
      this.#setAlerts(false);
    }
  }

  #onToast({ key, id, tone, title, text }: Toast): void {
    if (tone === 'wait' || (id === undefined && !KEPT.test(key))) return;
    this.add({ id: id ?? `${this.#load} ${this.#count++}`, title, text });
  }

  #keep(list: readonly Notice[]): void {
    this.list.set(list);
    keep(KEY, list);
  }
}

function isChosen(): boolean {
  const isOn = recallText(ALERTS_KEY) === 'on';
  return isOn && 'Notification' in globalThis && Notification.permission === 'granted';
}

function read(): readonly Notice[] {
  const list = recall(KEY);
  return Array.isArray(list) ? list.filter((each: Notice | null) => each?.id && each.title) : [];
}
