// Authentication as a bot meets it, on the real service: the nine texts, single use, revocation, owners; all again after kill -9.
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiKeyMessagePrefix } from '@presage/protocol';
import { signBearerToken } from '@presage/protocol/ed25519';
import { QUICK_MARKETS, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { ErrorReply, MarketBody } from './wire.ts';

interface RegisteredKey {
  readonly api_key_id: string;
  readonly api_private_key: string;
}

/** Planted: none of it may be found in anything that is written. */
const RECEIPT_KEY = randomBytes(32).toString('hex');
const FEED_KEY = `feed-${randomBytes(16).toString('hex')}`;
const env = {
  ...QUICK_MARKETS,
  PRESAGE_AUTH: 'required',
  PRESAGE_LOG_LEVEL: 'trace',
  PRESAGE_RECEIPT_KEY: RECEIPT_KEY,
  PRESAGE_PYTH_KEY: FEED_KEY,
};
const tokens: string[] = [];
let said = '';
const [alice, bob] = [walletOf('auth alice'), walletOf('auth bob')];
const keys = new Map<string, RegisteredKey>();
let exchange: Exchange;
let market: MarketBody;
let spent: string;

const nowSeconds = () => Math.floor(Date.now() / 1_000);
const keyOf = (name: string) => keys.get(name)!;

function tokenOf(key: RegisteredKey, { ts = nowSeconds(), n = randomBytes(16).toString('hex') } = {}): string {
  const token = signBearerToken({ kid: key.api_key_id, ts, n }, key.api_private_key);
  tokens.push(token);
  return `Bearer ${token}`;
}

async function register(wallet: typeof alice, extras: object = {}) {
  const signature = await wallet.signMessage({ message: `${apiKeyMessagePrefix('Presage')}${wallet.address}` });
  const body = { address: wallet.address, signature, ...extras };
  return exchange.client.post<RegisteredKey>('/api/v1/api-keys', body);
}

async function send(method: string, path: string, authorization?: string, body?: object) {
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(authorization !== undefined && { authorization }),
  };
  return exchange.client.send<ErrorReply & Record<string, unknown>>(method, path, {
    headers,
    ...(body && { text: JSON.stringify(body) }),
  });
}

/** What a write with this header is answered; a heartbeat of zero changes nothing. */
async function textOf(authorization?: string): Promise<string> {
  const { status, body } = await send('POST', '/api/v1/orders/heartbeat', authorization, { timeoutSeconds: 0 });
  if (status === 200) return 'ok';
  expect(status).toBe(401);
  expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
  return body.error;
}

async function expectTheNineTexts(): Promise<void> {
  const good = keyOf('alice');
  const unknown = { ...good, api_key_id: 'nobody' };
  const forged = { ...good, api_private_key: randomBytes(32).toString('hex') };
  expect(await textOf()).toBe('missing authorization header');
  expect(await textOf('Basic abc')).toBe('invalid authorization format');
  expect(await textOf('Bearer abc')).toBe('invalid token format');
  expect(await textOf(tokenOf(good, { n: 'short' }))).toBe('invalid token format');
  expect(await textOf(tokenOf(good, { ts: nowSeconds() - 301 }))).toBe('token expired');
  expect(await textOf(tokenOf(good, { ts: nowSeconds() + 90 }))).toBe('token expired');
  expect(await textOf(tokenOf(unknown))).toBe('API key not found');
  expect(await textOf(tokenOf(keyOf('revoked')))).toBe('API key is inactive');
  expect(await textOf(tokenOf(keyOf('expired')))).toBe('API key has expired');
  expect(await textOf(tokenOf(forged))).toBe('invalid signature');
  expect(await textOf(spent)).toBe('token already used');
  expect(await textOf(tokenOf(good))).toBe('ok');
}

/** Bob may not cancel what Alice placed; Alice may. */
async function expectOwnersOnly(): Promise<void> {
  const order = await exchange.client.signOrder(alice, { market: market.id, side: 'buy', price: '0.40', size: '5' });
  const text = { order: { ...order.order, nonce: order.order.nonce.toString() }, signature: order.signature };
  const placed = await send('POST', '/api/v1/orders', tokenOf(keyOf('bob')), text);
  expect(placed.status, 'any key may post any signed order').toBe(200);
  const path = `/api/v1/orders/${placed.body.orderHash}?marketId=${market.id}`;
  const refused = await send('DELETE', path, tokenOf(keyOf('bob')));
  expect([refused.status, refused.body.code]).toEqual([403, 'order_not_yours']);
  expect((await send('DELETE', path)).status).toBe(401);
  const all = await send('DELETE', `/api/v1/orders?trader=${alice.address}`, tokenOf(keyOf('bob')));
  expect(all.body, "cancel-all is the caller's own, whatever the query says").toEqual({ cancelled: [], count: 0 });
  const mine = await send('DELETE', path, tokenOf(keyOf('alice')));
  expect([mine.status, mine.body.status]).toEqual([200, 'cancelled']);
}

beforeAll(async () => {
  exchange = await Exchange.open({ env });
  market = await exchange.newMarket('Who may write?');
  for (const name of ['alice', 'revoked']) keys.set(name, (await register(alice, { name })).body);
  keys.set('bob', (await register(bob)).body);
  keys.set('expired', (await register(alice, { expiresAt: nowSeconds() + 2 })).body);
  const revoked = await send('DELETE', `/api/v1/api-keys/${keyOf('revoked').api_key_id}`, tokenOf(keyOf('alice')));
  expect(revoked.status).toBe(200);
  spent = tokenOf(keyOf('alice'));
  expect(await textOf(spent)).toBe('ok');
  await new Promise((resolve) => setTimeout(resolve, 3_000));
});
afterAll(() => exchange.close());

describe('with authentication required', () => {
  it('answers the nine texts', expectTheNineTexts);
  it('lets only the trader cancel', expectOwnersOnly);

  it('leaves every read open and asks a token for every write but key registration, sync and the sandbox', async () => {
    const writes: [string, string][] = [
      ['POST', '/api/v1/orders'],
      ['POST', '/api/v1/orders/batch'],
      ['DELETE', `/api/v1/orders/0x${'11'.repeat(32)}`],
      ['DELETE', '/api/v1/orders'],
      ['POST', '/api/v1/api-keys/list'],
      ['DELETE', '/api/v1/api-keys/some'],
    ];
    for (const [method, path] of writes) {
      const { status, body } = await send(method, path, undefined, {});
      expect([method, path, status, body.error]).toEqual([method, path, 401, 'missing authorization header']);
    }
    expect((await exchange.client.get(`/api/v1/orders?trader=${alice.address}`)).status).toBe(200);
    const sync = await exchange.client.post(`/api/v1/positions/${market.id}/sync`, { userAddress: alice.address });
    expect(sync.status).toBe(200);
  });

  it('refuses a registration that the wallet did not sign, and an eleventh key', async () => {
    const signature = await bob.signMessage({ message: `${apiKeyMessagePrefix('Presage')}${alice.address}` });
    const forged = await exchange.client.post<ErrorReply>('/api/v1/api-keys', { address: alice.address, signature });
    expect([forged.status, forged.body.error]).toEqual([401, 'invalid signature']);
    const carol = walletOf('auth carol');
    for (let i = 0; i < 10; i++) expect((await register(carol)).status).toBe(200);
    expect((await register(carol)).status).toBe(409);
  });

  it('lists the keys of the wallet, without their secrets', async () => {
    const { body } = await send('POST', '/api/v1/api-keys/list', tokenOf(keyOf('bob')), {});
    expect(body).toMatchObject({ count: 1, apiKeys: [{ api_key_id: keyOf('bob').api_key_id, active: true }] });
    expect(JSON.stringify(body)).not.toContain(keyOf('bob').api_private_key);
    const other = await send('DELETE', `/api/v1/api-keys/${keyOf('alice').api_key_id}`, tokenOf(keyOf('bob')));
    expect(other.status).toBe(403);
  });

  it('lets one of ten simultaneous uses of a token through', async () => {
    const token = tokenOf(keyOf('alice'));
    const texts = await Promise.all(Array.from({ length: 10 }, () => textOf(token)));
    expect(texts.filter((text) => text === 'ok')).toHaveLength(1);
    expect(texts.filter((text) => text === 'token already used')).toHaveLength(9);
  });
});

describe('after kill -9 and a restart', () => {
  beforeAll(async () => {
    said = await exchange.sandbox.transcript();
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env });
  });

  it('answers the same nine texts: keys, revocations and used tokens were kept', expectTheNineTexts);
  it('still lets only the trader cancel', expectOwnersOnly);

  it('has written no secret anywhere: not into its log at its loudest, its files, its database, or what it tells of itself', async () => {
    const secrets = [RECEIPT_KEY, FEED_KEY, ...tokens, ...[...keys.values()].map((key) => key.api_private_key)];
    expect(secrets.length).toBeGreaterThan(20);
    said += await exchange.sandbox.transcript();
    expect(said).toContain('request answered');
    const told = ['/api/v1/config', '/api/v1/status', '/metrics', '/openapi.json', '/ready'].map(async (path) =>
      (await fetch(`${exchange.sandbox.url}${path}`)).text(),
    );
    const written: [where: string, text: string][] = [
      ['the log', said],
      ['its answers', (await Promise.all(told)).join()],
    ];
    for (const entry of await readdir(exchange.sandbox.dataDir, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) written.push([path, await readFile(path, 'latin1').catch(() => '')]);
    }
    expect(written.length).toBeGreaterThan(20);
    const found = written.flatMap(([where, text]) => (secrets.some((secret) => text.includes(secret)) ? [where] : []));
    expect(found).toEqual([]);
  });
});
