// What operators do, over the wire: who may, what it does to orders, what stays after a kill, and the log of all of it.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import type { SignedRequest } from '@presage/protocol';
import { findFreePort } from '@presage/runtime/node';
import { createSandboxClient, PresageApiError } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { UNSOUND_KEYS } from '../auth/unsound-keys.ts';
import { createBearer } from '../openapi/bearer.ts';
import { Exchange } from './exchange.ts';
import type { ErrorReply, MarketBody } from './wire.ts';

const DAY = 86_400;
const [ann, ben, cat] = [walletOf('operated ann'), walletOf('operated ben'), walletOf('operated cat')];
let exchange: Exchange;
let operator: OperatorClient;

let adminPort: number;

beforeAll(async () => {
  adminPort = await findFreePort();
  exchange = await Exchange.open({ env: { PRESAGE_KEEPER: 'off', PRESAGE_ADMIN_PORT: String(adminPort) } });
  operator = await openOperator(exchange);
});
afterAll(() => exchange?.close());

async function openOperator({ client: { url } }: Exchange): Promise<OperatorClient> {
  return createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey(), retries: 0 });
}

/** On the admin listener, asked for by a name. */
function statusFor(path: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const answered = (answer: IncomingMessage) => {
      answer.resume();
      resolve(answer.statusCode);
    };
    get({ host: '127.0.0.1', port: adminPort, path, headers: { host } }, answered).on('error', reject);
  });
}

async function codeOf(asked: Promise<unknown>): Promise<string> {
  const outcome = await asked.catch((error: unknown) => error);
  return outcome instanceof PresageApiError ? outcome.code : `no refusal: ${JSON.stringify(outcome)}`;
}

const readMarket = (id: string) => exchange.client.read<MarketBody & Record<string, unknown>>(`/api/v1/markets/${id}`);
const nowSeconds = async () => (await exchange.client.read<{ now: number }>('/api/v1/time')).now;

async function newMarket(question: string): Promise<MarketBody> {
  const { marketId, listed } = await operator.createMarket({ question, expiration: (await nowSeconds()) + DAY });
  expect(listed).toBe(true);
  return readMarket(marketId);
}

const buy = (market: MarketBody, wallet = ann) =>
  exchange.client.placeOrder(wallet, { market: market.id, side: 'buy', price: '0.4', size: '5' });

async function cancel(market: MarketBody, orderHash: string): Promise<number> {
  return (await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`)).status;
}

const SERVICE = 'Presage';

function signed(method: string, path: string, body = ''): SignedRequest {
  return { service: SERVICE, method, path, bodyHash: createHash('sha256').update(body).digest('hex') };
}

describe('who may act', () => {
  it('is said by a single-use token of a key with the right', async () => {
    const { client } = exchange;
    expect(await client.get('/admin/v1/me')).toMatchObject({
      status: 401,
      body: { code: 'missing_authorization_header' },
    });
    const key = await createSandboxClient({ url: client.url }).getOperatorKey();
    const headers = { authorization: createBearer(key, signed('GET', '/admin/v1/me')) };
    expect(await client.get('/admin/v1/me', { headers })).toMatchObject({ status: 200, body: { name: 'sandbox' } });
    expect(await client.get('/admin/v1/me', { headers })).toMatchObject({ body: { code: 'token_already_used' } });
    const readers = await operator.addOperatorKey({ name: 'a reader', rights: ['read'] });
    const reader = createOperatorClient({
      url: client.url,
      key: { id: readers.keyId, privateKey: readers.privateKey! },
    });
    expect(await reader.listFailures()).toMatchObject({ trades: [] });
    expect(await codeOf(reader.haltTrading(true))).toBe('right_missing');
    await operator.revokeOperatorKey(readers.keyId);
    expect(await codeOf(reader.listFailures())).toBe('api_key_inactive');
    expect(await codeOf(operator.revokeOperatorKey(key.id))).toBe('operator_key_fixed');
  });

  it('is said for one request: a token that anybody got hold of does nothing else, and nothing at another exchange', async () => {
    const { client } = exchange;
    const key = await createSandboxClient({ url: client.url }).getOperatorKey();
    const halt = '/admin/v1/trading/halt';
    const body = JSON.stringify({ halted: true });
    const wanted = signed('POST', halt, body);
    const others: [field: string, SignedRequest | undefined][] = [
      ['service', undefined],
      ['service', { ...wanted, service: 'Another exchange' }],
      ['method', { ...wanted, method: 'GET' }],
      ['path', signed('POST', '/admin/v1/trading', body)],
      ['path', signed('POST', `${halt}?a=1`, body)],
      ['bodyHash', signed('POST', halt, JSON.stringify({ halted: false }))],
      ['bodyHash', signed('POST', halt)],
    ];
    const send = (request: SignedRequest | undefined) =>
      fetch(client.url + halt, {
        method: 'POST',
        headers: { authorization: createBearer(key, request), 'content-type': 'application/json' },
        body,
      });
    for (const [field, request] of others) {
      const answer = await send(request);
      expect(answer.status, field).toBe(401);
      expect(await answer.json()).toMatchObject({ code: 'token_for_other_request', details: { field } });
    }
    expect(await operator.getTradingControls()).toMatchObject({ halted: false });
    expect((await send(wanted)).status).toBe(200);
    await operator.haltTrading(false);
  });

  it('is not said by a key that anybody can sign for', async () => {
    const expected = { code: 'invalid_field', details: { field: 'publicKey' } };
    for (const publicKey of UNSOUND_KEYS) {
      await expect(operator.addOperatorKey({ name: 'anybody', rights: ['read'], publicKey })).rejects.toMatchObject(
        expected,
      );
    }
  });

  it('acts on the admin listener too, which has the page, the metrics and a document of its own', async () => {
    const url = `http://127.0.0.1:${adminPort}`;
    const key = await createSandboxClient({ url: exchange.client.url }).getOperatorKey();
    expect(await createOperatorClient({ url, key }).getOperator()).toMatchObject({ name: 'sandbox', fixed: true });
    for (const path of ['/metrics', '/api/v1/markets', '/ready']) {
      expect((await fetch(url + path)).status, path).toBe(200);
    }
    // A page of others that pointed a name of its own here reads nothing.
    expect(await statusFor('/metrics', 'evil.example')).toBe(403);
    expect(await statusFor('/metrics', 'localhost')).toBe(200);
    // Nor by its address, and it changes nothing in the sandbox.
    const headers = { origin: 'https://evil.example' };
    expect((await fetch(`${url}/metrics`, { headers })).headers.get('access-control-allow-origin')).toBeNull();
    const moved = await fetch(`${url}/sandbox/time`, { method: 'POST', headers, body: '{"advance":1}' });
    expect(await moved.json()).toMatchObject({ code: 'origin_not_allowed' });
    const { paths } = (await (await fetch(`${url}/admin/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths)).toContain('/admin/v1/markets/{id}/pause');
    expect(Object.keys(paths).every((path) => path.startsWith('/admin/v1/'))).toBe(true);
    const published = await exchange.client.read<{ paths: object }>('/openapi.json');
    expect(Object.keys(published.paths).some((path) => path.startsWith('/admin/'))).toBe(false);
  });

  it('is no trader: their keys do not open it, nor an operator key their endpoints', async () => {
    const { client } = exchange;
    const key = await createSandboxClient({ url: client.url }).getOperatorKey();
    const headers = { authorization: createBearer(key) };
    expect(await client.send('POST', '/api/v1/api-keys/list', { headers })).toMatchObject({
      status: 401,
      body: { code: 'api_key_not_found' },
    });
  });
});

describe('a market of the operator', () => {
  it('has no text that shows otherwise than it reads', async () => {
    for (const question of ['Red\u001b[31m?', 'Turned \u202e?', 'Bell\u0007?', 'C1 \u009b?']) {
      const market = { question, expiration: (await nowSeconds()) + DAY };
      expect(await codeOf(operator.createMarket(market)), question).toBe('invalid_field');
    }
  });

  it('has its source on chain, a picture, and a category that the operator defined', async () => {
    await operator.defineCategory('weather', 'Weather');
    const texts = { description: 'At least 1 mm.', source: 'https://ipma.pt', imageUrl: 'https://a.example/b.png' };
    const { marketId } = await operator.createMarket({
      question: 'Will it rain?',
      ...texts,
      category: 'weather',
      expiration: (await nowSeconds()) + DAY,
    });
    const market = await readMarket(marketId);
    expect(market).toMatchObject({ question: 'Will it rain?', category: 'weather', ...texts, status: 'open' });
    expect(market.asCreated).toBeUndefined();
    const list = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?category=weather');
    expect(list.markets.map(({ id }) => id)).toEqual([marketId]);
    expect(await exchange.client.read('/api/v1/categories')).toMatchObject({
      categories: [{ id: 'defi' }, { id: 'protocol' }, { id: 'stablecoin' }, { id: 'weather' }, { id: 'general' }],
    });
    await operator.removeCategory('weather');
    expect(await readMarket(marketId)).toMatchObject({ category: 'general' });
    expect(await codeOf(operator.removeCategory('general'))).toBe('category_fixed');
    expect(await codeOf(operator.editMarket(marketId, { category: 'weather' }))).toBe('category_not_found');
    expect(await codeOf(operator.createMarket({ question: 'Too late?', expiration: 1 }))).toBe('invalid_field');
  });

  it('takes a result before its expiration if it was created so, and says so', async () => {
    const expiration = (await nowSeconds()) + DAY;
    const early = await operator.createMarket({ question: 'Known early?', expiration, earlyResolution: true });
    const market = await readMarket(early.marketId);
    expect(market).toMatchObject({ status: 'open', earlyResolution: true });
    const late = await operator.createMarket({ question: 'Known late?', expiration, earlyResolution: false });
    expect(await readMarket(late.marketId)).not.toHaveProperty('earlyResolution');
  });

  it('can be reworded until its first trade, and says what is on chain', async () => {
    const market = await newMarket('Will it snw?');
    const edited = await operator.editMarket(market.id, { question: 'Will it snow?', source: 'the news' });
    expect(edited).toMatchObject({ question: 'Will it snow?', asCreated: { question: 'Will it snw?' } });
    const found = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?search=it%20snow');
    expect(found.markets.map(({ id }) => id)).toEqual([market.id]);
    await exchange.client.order(ann, { market: market.id, side: 'buy', price: '0.4', size: '5' });
    await exchange.client.order(ben, { market: market.id, side: 'sell', price: '0.4', size: '5' });
    expect(await codeOf(operator.editMarket(market.id, { question: 'Will it hail?' }))).toBe('market_has_traded');
    expect(await operator.editMarket(market.id, { category: 'defi' })).toMatchObject({ category: 'defi' });
    const { positions } = await exchange.client.read<{ positions: { marketQuestion: string }[] }>(
      `/api/v1/users/${ann.address}/positions?chain_id=31337`,
    );
    expect(positions.map(({ marketQuestion }) => marketQuestion)).toContain('Will it snow?');
    expect(await operator.featureMarket(market.id, true)).toMatchObject({ featured: true });
    await exchange.settled();
  });

  it('can be closed early: its orders leave the book and none comes in', async () => {
    const market = await newMarket('Is it over?');
    const { body } = await buy(market);
    expect(await operator.closeMarket(market.id, { reason: 'decided' })).toMatchObject({ status: 'expired' });
    expect(await exchange.client.read(`/api/v1/orders/${body.orderHash}`)).toMatchObject({ status: 'cancelled' });
    expect(await buy(market)).toMatchObject({ status: 409, body: { code: 'market_closed' } });
    expect(await codeOf(operator.closeMarket(market.id))).toBe('market_closed');
  });
});

describe('what is stopped', () => {
  it('a paused market refuses orders and takes cancels', async () => {
    const market = await newMarket('Is it paused?');
    const { body } = await buy(market);
    expect(await operator.pauseMarket(market.id, true, { reason: 'unclear' })).toMatchObject({ paused: true });
    const refused = await exchange.client.placeOrder(ann, { market: market.id, side: 'buy', price: '0.4', size: '5' });
    expect(refused).toMatchObject({ status: 503, body: { code: 'market_paused', details: { reason: 'unclear' } } });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const examined = await exchange.client.post<{ errors: ErrorReply[] }>(
      '/api/v1/orders/validate',
      await exchange.client.signOrder(ann, { market: market.id, side: 'buy', price: '0.4', size: '5' }),
    );
    expect(examined.body.errors).toMatchObject([{ code: 'market_paused' }]);
    expect(await cancel(market, body.orderHash)).toBe(200);
    await operator.pauseMarket(market.id, false);
    expect(await buy(market)).toMatchObject({ status: 200 });
  });

  it('a halt refuses orders everywhere and keeps cancels open', async () => {
    const market = await newMarket('Is it halted?');
    const { body } = await buy(market);
    await operator.haltTrading(true, { reason: 'upgrade' });
    expect(await buy(market)).toMatchObject({ status: 503, body: { code: 'exchange_halted' } });
    expect(await exchange.client.read('/api/v1/status')).toMatchObject({
      trading: { halted: true, reason: 'upgrade' },
    });
    expect(await cancel(market, body.orderHash)).toBe(200);
    await operator.haltTrading(false);
    expect(await buy(market)).toMatchObject({ status: 200 });
  });

  it('a blocked wallet loses its open orders, may not place, and may cancel what it is asked for', async () => {
    const market = await newMarket('Is it blocked?');
    const { body } = await buy(market, cat);
    expect(await operator.blockWallet(cat.address, true)).toMatchObject({ blocked: true, cancelledOrders: 1 });
    const life = await exchange.client.read<{ events: { type: string; reason?: string }[] }>(
      `/api/v1/orders/${body.orderHash}/events`,
    );
    expect(life.events.at(-1)).toMatchObject({ type: 'cancelled', reason: 'wallet_blocked' });
    const blocked = { code: 'wallet_blocked', details: { trader: cat.address } };
    expect(await buy(market, cat)).toMatchObject({ status: 403, body: blocked });
    // Its cancels are judged like everybody's: this one is over already.
    expect(await cancel(market, body.orderHash)).toBe(409);
    await operator.blockWallet(cat.address, false);
    expect(await buy(market, cat)).toMatchObject({ status: 200 });
  });
});

describe('what fails', () => {
  it('is named with its reason, degrades the service, raises an alarm, and can be tried again', async () => {
    const { client } = exchange;
    await client.post('/sandbox/faults', { settlement: 'revert' });
    const market = await newMarket('Does it settle?');
    await client.order(ann, { market: market.id, side: 'buy', price: '0.4', size: '5' });
    await client.order(ben, { market: market.id, side: 'sell', price: '0.4', size: '5' });
    await waitFor('the failure is named', async () => {
      const { chains } = await operator.listFailures();
      const [chain] = chains;
      return chain?.reason !== null && (chain?.refusedBatches ?? 0) > 0 && chain?.alarms.includes('settlement_paused');
    });
    expect(await client.read('/ready')).toMatchObject({ degraded: ['settlement_paused'] });
    const metrics = await client.read<string>('/metrics');
    expect(metrics).toMatch(/presage_alarm_settlement_paused\{chain="31337"\} 1/);
    expect(metrics).toMatch(/presage_settlement_batches_refused_total\{chain="31337"\} [1-9]/);
    await client.post('/sandbox/faults', { settlement: 'normal' });
    expect(await operator.retryFailures()).toEqual({ chains: [31_337] });
    await exchange.settled();
    await waitFor('the alarm is over', async () => {
      const { degraded } = await client.read<{ degraded: string[] }>('/ready');
      return degraded.length === 0;
    });
  });
});

/** A histogram is asked for by what it is made of. */
function metricsIn(text: string): Set<string> {
  const names = text.match(/\bpresage_[a-z_]+/g) ?? [];
  return new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')));
}

describe('the files for Prometheus and Grafana', () => {
  const read = (name: string) => readFile(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8');
  /** What the process says as a whole, or what is shown beside others. */
  const UNWATCHED = ['presage_match_seconds'];

  it('name metrics that exist, and leave out none that matters', async () => {
    const served = await exchange.client.read<string>('/metrics');
    const existing = [...served.matchAll(/^# TYPE (presage_\w+) /gm)].map(([, name]) => name as string);
    const rules = parse(await read('alerts.yml')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string; runbook: string } }[] }[];
    };
    const alerts = rules.groups.flatMap((group) => group.rules);
    const dashboard = JSON.parse(await read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
    const watched = metricsIn(alerts.map(({ expr }) => expr).join(' '));
    const shown = metricsIn(dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' '));
    expect([...watched, ...shown].filter((name) => !existing.includes(name))).toEqual([]);
    expect(existing.filter((name) => ![...UNWATCHED, ...shown].includes(name))).toEqual([]);
    for (const name of existing.filter((each) => each.startsWith('presage_alarm_'))) expect(watched).toContain(name);
  });

  it('say at each alert where it stands in docs/operations.md what to do', async () => {
    const guide = await readFile(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
    const headings = [...guide.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
      text
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    const anchors = [...(await read('alerts.yml')).matchAll(/docs\/operations\.md#([\w-]+)/g)].map(
      ([, anchor]) => anchor,
    );
    expect(anchors.length).toBeGreaterThan(15);
    expect(anchors.filter((anchor) => !headings.includes(anchor as string))).toEqual([]);
  });
});

describe('the audit log', () => {
  it('says who did what and why, page by page, and all of it stands after a kill', async () => {
    const market = await newMarket('Does it last?');
    await operator.editMarket(market.id, { question: 'Does it stay?' });
    await operator.pauseMarket(market.id, true, { reason: 'for the night' });
    await operator.blockWallet(ben.address, true, { reason: 'a court order' });
    await operator.defineCategory('night', 'Night');
    const log = await operator.listActions({ subject: market.id });
    expect(log.actions).toMatchObject([
      { kind: 'pause-market', actorName: 'sandbox', reason: 'for the night', action: { isPaused: true } },
      { kind: 'edit-market' },
      { kind: 'create-market' },
    ]);
    const first = await operator.listActions({ limit: 2 });
    const second = await operator.listActions({ limit: 2, cursor: first.nextCursor! });
    const kinds = [...first.actions, ...second.actions].map(({ kind }) => kind);
    expect(kinds).toEqual(['define-category', 'block-wallet', 'pause-market', 'edit-market']);

    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: { PRESAGE_KEEPER: 'off' } });
    operator = await openOperator(exchange);
    expect(await readMarket(market.id)).toMatchObject({ question: 'Does it stay?', paused: true });
    expect(await operator.getTradingControls()).toMatchObject({
      halted: false,
      pausedMarkets: [{ marketId: market.id, reason: 'for the night' }],
      blockedWallets: [{ reason: 'a court order' }],
    });
    expect((await operator.listActions({ subject: market.id })).actions).toEqual(log.actions);
    expect(await exchange.client.read('/api/v1/categories')).toMatchObject({ count: 5 });
  });
});

// Last: orders of the tests above would have expired.
describe('a market that nobody decides', () => {
  it('can be voided when the contract allows it, not before', async () => {
    const market = await newMarket('Does nobody know?');
    expect(await codeOf(operator.voidMarket(market.id))).toBe('not_voidable');
    await exchange.client.post('/sandbox/time', { advanceSeconds: 40 * DAY });
    await operator.voidMarket(market.id, { reason: 'undecided' });
    await waitFor('the market is void', async () => (await readMarket(market.id)).status === 'void');
  });
});
