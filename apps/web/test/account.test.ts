// A wallet that comes back to a service that requires API keys: ready with the key of its last visit, unless the service no longer takes it.
import type { PublicClient, ServiceConfig } from '@presage/sdk';
import { walletOf } from '@presage/testkit';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
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

const { address } = walletOf('a wallet that comes back');
const KEY = `presage.api-key.${address.toLowerCase()}`;
const CONFIG = { authRequired: true, sandbox: false, chains: [{ chainId: 1 }] } as unknown as ServiceConfig;

vi.stubGlobal('ethereum', { request: async () => [address] });
afterAll(() => vi.unstubAllGlobals());

beforeEach(() => {
  kept.clear();
  kept.set('presage.wallet-kind', 'injected');
  kept.set(KEY, JSON.stringify({ id: 'key', privateKey: '07'.repeat(32) }));
});

/** How the wallet is set up once it is open again, where the service answers so to its key. */
async function comeBack(status: number, list: object): Promise<string> {
  const answers: Readonly<Record<string, object>> = {
    config: CONFIG,
    approvals: { settlement: { sharesApproved: true, allowance: '5' } },
    balances: { available: '0' },
    orders: { orders: [] },
  };
  vi.stubGlobal('fetch', async (url: string) => {
    const [, name = ''] = /\/([a-z]+)(?:\?.*)?$/.exec(url) ?? [];
    return name === 'list' ? Response.json(list, { status }) : Response.json(answers[name]);
  });
  const reader = { async *watchUser() {} } as unknown as PublicClient;
  const account = new Account({ reader, connection: new Connection(new PageClock()), url: 'http://service' });
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
