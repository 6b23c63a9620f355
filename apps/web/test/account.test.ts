// A wallet that comes back to a service that requires API keys: ready with the key of its last visit, unless the service no longer takes it.
import type { PublicClient, ServiceConfig } from '@presage/sdk';
import { walletOf } from '@presage/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../src/state/connection.ts';
import { PageClock } from '../src/state/service-clock.ts';
import { Account } from '../src/wallet/account.ts';

const kept = vi.hoisted(() => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
  Object.assign(globalThis, { localStorage: storage, addEventListener: () => {}, dispatchEvent: () => true });
  return kept;
});

/** Addresses as the SDK writes them. */
const addressOf = (name: string) => walletOf(name).address.toLowerCase();
const address = addressOf('a wallet that comes back');
const KEY = `presage.api-key.${address}`;
const CONFIG = { authRequired: true, sandbox: false, chains: [{ chainId: 1 }] } as unknown as ServiceConfig;

const extension = { address, pick: (_accounts: readonly string[]) => {} };
vi.stubGlobal('ethereum', {
  request: async () => [extension.address],
  on: (event: string, listener: typeof extension.pick) => {
    if (event === 'accountsChanged') extension.pick = listener;
  },
});
afterAll(() => vi.unstubAllGlobals());

beforeEach(() => {
  extension.address = address;
  kept.clear();
  kept.set('presage.wallet-kind', 'injected');
  kept.set(KEY, JSON.stringify({ id: 'key', privateKey: '07'.repeat(32) }));
});

const APPROVED = { settlement: { sharesApproved: true, allowance: '5' } };
const NOT_APPROVED = { settlement: { sharesApproved: false, allowance: '0' } };

interface Answers {
  /** Answers of the list of API keys, and of approvals of the named wallet. */
  readonly list: () => Response;
  readonly approvals: (url: string) => object | Promise<object>;
  readonly balances?: () => Response;
}

const ORDER = { orderHash: '0x01', status: 'open', remainingSize: 1 };

function openAccount({ list, approvals, balances = () => Response.json({ available: '0' }) }: Answers): Account {
  const answers: Readonly<Record<string, object>> = {
    config: CONFIG,
    orders: { orders: [ORDER] },
  };
  vi.stubGlobal('fetch', async (url: string) => {
    const [, name = ''] = /\/([a-z]+)(?:\?.*)?$/.exec(url) ?? [];
    if (name === 'list') return list();
    if (name === 'balances') return balances();
    return Response.json(name === 'approvals' ? await approvals(url) : answers[name]);
  });
  const reader = { async *watchUser() {} } as unknown as PublicClient;
  return new Account({ reader, connection: new Connection(new PageClock()), url: 'http://service' });
}

/** How the wallet is set up once it is open again, where the service answers so to its key. */
async function comeBack(status: number, body: object): Promise<string> {
  const account = openAccount({ list: () => Response.json(body, { status }), approvals: () => APPROVED });
  await account.resume(CONFIG);
  return account.state.get().setup;
}

describe('a wallet that comes back', () => {
  it('is ready with the key that it kept', async () => {
    expect(await comeBack(200, { apiKeys: [], count: 0 })).toBe('ready');
    expect(kept.has(KEY)).toBe(true);
  });

  it('is ready where the key cannot be checked now', async () => {
    expect(await comeBack(403, { error: 'not from here', code: 'origin_not_allowed' })).toBe('ready');
    expect(kept.has(KEY)).toBe(true);
  });

  it.each(['api_key_not_found', 'api_key_inactive', 'api_key_expired'])('makes another key after %s', async (code) => {
    expect(await comeBack(401, { error: 'no', code })).toBe('missing');
    expect(kept.has(KEY)).toBe(false);
  });

  it('is not ready without a key', async () => {
    kept.delete(KEY);
    expect(await comeBack(200, {})).toBe('missing');
  });
});

describe('another account of the extension', () => {
  it('is not taken for set up because the one before is', async () => {
    const other = addressOf('another account');
    let answer = (_approvals: object) => {};
    const late = new Promise<object>((resolve) => {
      answer = resolve;
    });
    const account = openAccount({
      list: () => Response.json({}),
      approvals: (url) => (url.includes(address) ? late : NOT_APPROVED),
    });
    const first = account.resume(CONFIG);
    await expect.poll(() => account.state.get().wallet?.address).toBe(address);
    extension.address = other;
    extension.pick([other]);
    await expect.poll(() => account.state.get()).toMatchObject({ wallet: { address: other }, setup: 'missing' });
    answer(APPROVED);
    await first;
    expect(account.state.get()).toMatchObject({ wallet: { address: other }, setup: 'missing' });
  });
});

describe('a wallet whose money cannot be read', () => {
  const AWAY = { error: 'The chain cannot be reached', code: 'chain_unavailable' };
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has its orders at once, and its money as soon as the chain is back, without being touched', async () => {
    let isAway = true;
    const balances = () => (isAway ? Response.json(AWAY, { status: 503 }) : Response.json({ available: '5' }));
    const account = openAccount({ list: () => Response.json({}), approvals: () => APPROVED, balances });
    void account.resume(CONFIG);
    await vi.advanceTimersByTimeAsync(100);
    expect(account.state.get()).toMatchObject({ orders: [ORDER], balances: undefined });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(account.state.get().failure?.message).toBe('The chain cannot be reached');
    isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(account.state.get()).toMatchObject({ balances: { available: '5' }, failure: undefined });
    // What was said then is shown while the chain is away again, and is not taken for old for ever.
    isAway = true;
    account.touch();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(account.state.get().balancesSince).toBeTypeOf('number');
    isAway = false;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(account.state.get().balancesSince).toBeUndefined();
  });
});

describe('a wallet that is closed', () => {
  it('leaves nothing of its money behind', async () => {
    const account = openAccount({ list: () => Response.json({}), approvals: () => APPROVED });
    await account.resume(CONFIG);
    await expect.poll(() => account.state.get().balances).toBeDefined();
    account.close();
    account.showChain(1);
    expect(account.state.get()).toMatchObject({ wallet: null, balances: undefined, orders: undefined });
  });
});
