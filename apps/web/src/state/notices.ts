// The visitor's notices: fills, settlements, failures, results and claims, stored in this browser with their read state.
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
/** Keys of toasts without an id that become notices: those about money and orders. Others only answer a press. */
const KEPT = /^(order|resolution|pairs)\b/;

export class Notices {
  /** All notices, newest first. */
  readonly list = new Store<readonly Notice[]>(read());
  readonly hasAlerts = new Store(isChosen());
  /** Start of this page load. With a counter it makes ids that other loads and tabs do not use. */
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

  /** Switches the browser's notifications. Asks for permission the first time; stays off if it is denied. */
  async switchAlerts(): Promise<void> {
    this.#setAlerts(!this.hasAlerts.get() && (await Notification.requestPermission()) === 'granted');
  }

  #setAlerts(isOn: boolean): void {
    this.hasAlerts.set(isOn);
    keepText(ALERTS_KEY, isOn ? 'on' : 'off');
  }

  /** Adds a notice once per id, because several tabs learn of the same event. */
  add({ id, title, text }: Pick<Notice, 'id' | 'title' | 'text'>): void {
    // Reads the list first, since another tab may have added a notice.
    const list = read();
    if (list.some((each) => each.id === id)) return;
    const notice = { id, time: Math.floor(Date.now() / 1_000), title, text, isRead: false };
    this.#keep([notice, ...list].slice(0, MOST));
    if (!this.hasAlerts.get() || !document.hidden) return;
    try {
      // The tag makes the browser show one notification even if two tabs send it at the same time.
      new Notification(title, { tag: id, ...(text !== undefined && { body: text }) });
    } catch {
      // Android allows notifications only from service workers.
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
