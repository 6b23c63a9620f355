// Notices and the browser's notifications of them: a browser that refuses or lacks them costs nothing else.
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Notices } from '../src/state/notices.ts';
import { Toasts } from '../src/state/toasts.ts';

const KEY = 'presage.notices-alerts';
const kept = new Map<string, string>();
let listeners: ((event: { readonly key: string }) => void)[] = [];

class Shown {
  static permission = 'granted';
  static titles: string[] = [];
  static requestPermission = async () => Shown.permission;
  constructor(title: string) {
    Shown.titles.push(title);
  }
}

/** As Android has it: a page may only notify through a service worker. */
class Illegal extends Shown {
  constructor(title: string) {
    super(title);
    throw new TypeError('Illegal constructor');
  }
}

beforeEach(() => {
  kept.clear();
  listeners = [];
  Shown.permission = 'granted';
  Shown.titles = [];
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
  });
  vi.stubGlobal('addEventListener', (_type: string, listener: (typeof listeners)[number]) => listeners.push(listener));
  vi.stubGlobal('document', { hidden: true });
  vi.stubGlobal('Notification', Shown);
});
afterAll(() => vi.unstubAllGlobals());

function open() {
  const toasts = new Toasts();
  return { toasts, notices: new Notices(toasts) };
}
const FILLED = { key: 'order 1', id: 'fill', tone: 'ok', title: 'Bought 1 YES' } as const;

describe('browser notifications', () => {
  it('tell what happens while the page is hidden', async () => {
    const { toasts, notices } = open();
    await notices.switchAlerts();
    toasts.show(FILLED);
    expect(Shown.titles).toEqual(['Bought 1 YES']);
  });

  it('are switched off by a browser that has none for pages, and the message is shown all the same', async () => {
    vi.stubGlobal('Notification', Illegal);
    const { toasts, notices } = open();
    await notices.switchAlerts();
    toasts.show(FILLED);
    expect(toasts.list.get().map(({ title }) => title)).toContain('Bought 1 YES');
    expect(notices.list.get()).toHaveLength(1);
    expect([notices.hasAlerts.get(), kept.get(KEY)]).toEqual([false, 'off']);
  });

  it('stay off where the person or the browser says no', async () => {
    Shown.permission = 'denied';
    const { notices } = open();
    await notices.switchAlerts();
    expect([notices.hasAlerts.get(), kept.get(KEY)]).toEqual([false, 'off']);
  });

  it('are switched in all tabs', async () => {
    const [here, there] = [open().notices, open().notices];
    await here.switchAlerts();
    for (const tell of listeners) tell({ key: KEY });
    expect(there.hasAlerts.get()).toBe(true);
    await here.switchAlerts();
    for (const tell of listeners) tell({ key: KEY });
    expect(there.hasAlerts.get()).toBe(false);
  });
});
