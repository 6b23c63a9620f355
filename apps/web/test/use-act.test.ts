// A press that opens, sets up or funds a wallet: never without a word when it fails.
import { beforeEach, expect, it, vi } from 'vitest';
import type { Page } from '../src/state/page-context.ts';
import { Store } from '../src/state/store.ts';
import { Toasts } from '../src/state/toasts.ts';

vi.hoisted(() => {
  const nothing = () => undefined;
  Object.assign(globalThis, { addEventListener: nothing, dispatchEvent: () => true });
  Object.assign(globalThis, { location: { pathname: '/', origin: '' }, localStorage: { getItem: () => null } });
});

const FAILURE = { message: 'There is no wallet', remedy: 'Get one.', requestId: undefined };
const state = new Store<{ failure: typeof FAILURE | undefined }>({ failure: undefined });
let toasts: Toasts;

beforeEach(() => {
  toasts = new Toasts();
  state.set({ failure: undefined });
});

async function press(work: () => Promise<void>): Promise<string | undefined> {
  const { actOnWallet } = await import('../src/state/use-act.ts');
  await actOnWallet({ account: { state }, toasts } as unknown as Page, 'Not connected', work);
  const [toast] = toasts.list.get();
  return toast && `${toast.title}: ${toast.text}`;
}

it('says what the wallet has recorded', async () => {
  expect(await press(async () => state.set({ failure: FAILURE }))).toBe('Not connected: There is no wallet. Get one.');
});

it('says what was thrown', async () => {
  expect(await press(() => Promise.reject(new Error('No chain')))).toBe('Not connected: No chain.');
});

it('says nothing where nothing failed', async () => {
  expect(await press(async () => undefined)).toBeUndefined();
});
