// Malformed requests to every endpoint: each is refused with its code and a request id, and nothing ever fails inside.
import { stringifyJson } from '@presage/protocol';
import { type WireOrderParams, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { ErrorReply } from './wire.ts';

const ann = walletOf('bad input ann');
const JSON_TYPE = { 'content-type': 'application/json' };
const ID = `0x${'ab'.repeat(32)}`;
const WALLET = `0x${'ab'.repeat(20)}`;
let exchange: Exchange;
let market: `0x${string}`;

beforeAll(async () => {
  exchange = await Exchange.open();
  market = (await exchange.newMarket('Is nonsense refused?')).id;
});
afterAll(() => exchange?.close());

interface Malformed {
  readonly method?: string;
  readonly path: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code: string;
}

async function expectRefusal({ method = 'GET', path, text, headers, status, code }: Malformed): Promise<ErrorReply> {
  const extras = { ...(text !== undefined && { text }), ...(headers && { headers }) };
  const answer = await exchange.client.send<ErrorReply>(method, path, extras);
  const name = `${method} ${path} ${text?.slice(0, 120) ?? ''}`;
  expect({ status: answer.status, code: answer.body.code }, name).toEqual({ status, code });
  expect(answer.body.error, name).toMatch(/^[\w.[\]]+ \w+/);
  expect(answer.body.requestId, name).toBe(answer.headers.get('x-request-id'));
  return answer.body;
}

/** Queries and paths that name a thing wrongly: all 400 invalid_field. */
const READS: readonly string[] = [
  ...['', '?trader=', '?trader=0x12', '?trader=nobody', `?trader=${WALLET}00`, `?trader=${WALLET.slice(2)}`],
  ...[`?trader=${WALLET}&trader=${WALLET}`, `?trader=${WALLET}&market=0x12`, `?trader=${WALLET}&market=zz`],
  ...[`?trader=${WALLET}&market=${ID}&market=${ID}`, `?trader=${'0x'}${'g'.repeat(40)}`, '?trader[]=1'],
].map((query) => `/api/v1/orders${query}`);
const NAMED: readonly string[] = [
  ...['/api/v1/orders/0x12', '/api/v1/orders/abc', `/api/v1/orders/${ID}0`, `/api/v1/orders/${ID.slice(2)}`],
  ...['/api/v1/orders/0x12/events', '/api/v1/orders/%20/events', `/api/v1/orders/${WALLET}/events`],
  ...['/api/v1/markets/0x12', '/api/v1/markets/abc', `/api/v1/markets/${WALLET}`, `/api/v1/markets/${ID}ff`],
  ...['/api/v1/orderbook/0x12', '/api/v1/orderbook/abc', `/api/v1/orderbook/${WALLET}`],
  ...[`/api/v1/orderbook/${ID}?outcome=2`, `/api/v1/orderbook/${ID}?outcome=maybe`],
  ...[`/api/v1/orderbook/${ID}?outcome=-1`, `/api/v1/orderbook/${ID}?outcome=YES&outcome=NO`],
  ...[`/api/v1/orderbook/${ID}?outcome=0.0`, `/api/v1/orderbook/${ID}?outcome=constructor`],
  ...['/api/v1/trades/0x12', '/api/v1/trades/abc', `/api/v1/trades/${WALLET}`],
  ...['/api/v1/positions/0x12', `/api/v1/positions/${ID}`, `/api/v1/positions/${ID}?user=0x12`],
  ...[`/api/v1/positions/abc?user=${WALLET}`, `/api/v1/positions/${ID}?user=${WALLET}&user=${WALLET}`],
  ...[`/api/v1/positions/${WALLET}`, `/api/v1/positions/${WALLET}?user=${ID}`],
  ...['orders', 'positions'].flatMap((list) => [
    `/api/v1/users/${WALLET}/${list}`,
    `/api/v1/users/${WALLET}/${list}?chain_id=`,
    `/api/v1/users/${WALLET}/${list}?chain_id=one`,
    `/api/v1/users/${WALLET}/${list}?chain_id=1.5`,
    `/api/v1/users/${WALLET}/${list}?chain_id=-1`,
    `/api/v1/users/${WALLET}/${list}?chain_id=0x1`,
    `/api/v1/users/${WALLET}/${list}?chain_id=99999999999999999999`,
    `/api/v1/users/${WALLET}/${list}?chain_id=1&chain_id=2`,
    `/api/v1/users/0x12/${list}?chain_id=1`,
    `/api/v1/users/${ID}/${list}?chain_id=1`,
  ]),
  ...['chain_id=x', 'chain_id=1e3', 'status=closed', 'status=OPEN', 'category=sports', 'kind=slow', 'limit=0'].map(
    (query) => `/api/v1/markets?${query}`,
  ),
  ...['limit=-1', 'limit=1.5', 'limit=ten', 'limit=1&limit=2', 'cursor=%00', 'cursor=abc', 'search=a&search=b'].map(
    (query) => `/api/v1/markets?${query}`,
  ),
];

/** Changes of one field of a good order, each refused with 400 invalid_field. */
const FIELDS: readonly Readonly<Record<string, unknown>>[] = [
  ...[undefined, null, 7, '0x12', `${ID}00`, `0x${'zz'.repeat(32)}`, [ID], {}].map((marketId) => ({ marketId })),
  ...[undefined, null, 7, '0x12', ID, WALLET.slice(2)].map((trader) => ({ trader })),
  ...[undefined, null, 2, -1, 'buy', true, 0.5, '2', []].map((side) => ({ side })),
  ...[undefined, null, 2, 'YES', -1].map((outcome) => ({ outcome })),
  ...[undefined, null, 'abc', 1.5, -1, true, [], {}, '', ' 1', '0x10', '1e3', 2n ** 64n].map((price) => ({ price })),
  ...[undefined, null, -1, 1.5, 'ten', 2n ** 64n, '18446744073709551616'].map((size) => ({ size })),
  ...[undefined, null, -1, 1.5, 'x', 2n ** 64n, '99999999999999999999', -(2n ** 60n)].map((nonce) => ({ nonce })),
  ...[undefined, null, -1, 0.5, 'soon', 2n ** 64n].map((expiration) => ({ expiration })),
  ...[undefined, null, 0, '0x0', ID].map((makerFeeRecipient) => ({ makerFeeRecipient })),
];

/** Bodies of an order that are wrong beside its fields. */
const AROUND: readonly Readonly<Record<string, unknown>>[] = [
  ...[undefined, null, 7, true, [], {}].map((signature) => ({ signature })),
  ...[null, 'order', 7, [], {}].map((order) => ({ order })),
  ...['gtc', 7, {}, 'DAY'].map((timeInForce) => ({ timeInForce })),
  ...['true', 1, []].map((postOnly) => ({ postOnly })),
  ...['cancel_both', true, 0].map((selfTradePrevention) => ({ selfTradePrevention })),
  ...['permit', 7, {}, { nonce: 1 }].map((permitSignature) => ({ permitSignature })),
];

const SANDBOX: readonly (readonly [path: string, body: unknown])[] = [
  ...[{}, { address: 7 }, { address: '0x12' }, { address: WALLET, amount: -1 }, { address: WALLET, amount: 'ten' }],
  ...[
    { address: WALLET, amount: 1.5 },
    { address: WALLET, amount: 2n ** 256n },
    { address: WALLET, amount: 2n ** 255n },
    { address: WALLET, amount: 2n ** 53n },
    [],
    null,
    'fund',
  ],
].map((body) => ['/sandbox/fund', body] as const);
const MARKETS: readonly (readonly [path: string, body: unknown])[] = [
  ...[{}, { question: '' }, { question: 7 }, { question: 'x'.repeat(513) }, { question: 'Why?', category: 'sports' }],
  ...[
    { question: 'Why?', expiration: 1 },
    { question: 'Why?', expiresIn: 0 },
    { question: 'Why?', expiresIn: 'soon' },
  ],
  ...[
    { question: 'Why?', expiration: 2n ** 63n },
    { question: 'Why?', description: 'x'.repeat(4_097) },
  ],
  ...[{ question: 'Why?', description: 7 }, { question: 'a\u0000b?' }, { question: 'Why?', description: '\u0000' }],
].map((body) => ['/sandbox/markets', body] as const);
const SWITCHES: readonly (readonly [path: string, body: unknown])[] = [
  ...[{}, { advanceSeconds: 0 }, { advanceSeconds: -5 }, { advanceSeconds: 1.5 }, { advanceSeconds: 'x' }].map(
    (body) => ['/sandbox/time', body] as const,
  ),
  ...[{ advanceSeconds: 2n ** 60n }, { advanceSeconds: 1e12 }].map((body) => ['/sandbox/time', body] as const),
  ...[{ chain: 'sideways' }, { settlement: 'maybe' }, { reorgDepth: -1 }, { reorgDepth: 'deep' }, [], 7].map(
    (body) => ['/sandbox/faults', body] as const,
  ),
];

describe('a malformed request', () => {
  it('is counted here more than a hundred and twenty times', () => {
    const tables = [READS, NAMED, FIELDS, AROUND, SANDBOX, MARKETS, SWITCHES];
    expect(tables.reduce((total, table) => total + table.length, 0)).toBeGreaterThanOrEqual(120);
  });

  it.each([...READS, ...NAMED])('GET %s is 400 invalid_field', async (path) => {
    const { details } = await expectRefusal({ path, status: 400, code: 'invalid_field' });
    expect(details).toMatchObject({ field: expect.any(String), expected: expect.any(String) });
  });

  it('names the first field of an order that does not fit', async () => {
    const good = await exchange.client.signOrder(ann, { market, side: 'buy', price: '0.5', size: '1' });
    for (const change of FIELDS) {
      const text = stringifyJson({ ...good, order: { ...good.order, ...change } });
      const refusal = { method: 'POST', path: '/api/v1/orders', text, headers: JSON_TYPE };
      const { details } = await expectRefusal({ ...refusal, status: 400, code: 'invalid_field' });
      expect(details?.field, text).toBe(`order.${Object.keys(change)[0]}`);
    }
  });

  it('is refused for what stands beside the order too', async () => {
    const good = await exchange.client.signOrder(ann, { market, side: 'buy', price: '0.5', size: '1' });
    for (const change of AROUND) {
      const text = stringifyJson({ ...good, ...change });
      const refusal = { method: 'POST', path: '/api/v1/orders', text, headers: JSON_TYPE };
      const { details } = await expectRefusal({ ...refusal, status: 400, code: 'invalid_field' });
      expect(details?.field, text).toMatch(new RegExp(`^${Object.keys(change)[0]}`));
    }
  });

  it('is none of which optional fields are null, beside an order and in it', async () => {
    const good = await exchange.client.signOrder(ann, { market, side: 'buy', price: '0.5', size: '1' });
    const nulls = { permitSignature: null, timeInForce: null, postOnly: null, reduceOnly: null };
    const order = { ...good, ...nulls, selfTradePrevention: null };
    const validated = await exchange.client.post('/api/v1/orders/validate', order);
    expect(validated).toMatchObject({ status: 200, body: { errors: [] } });
    const batch = await exchange.client.post('/api/v1/orders/batch', { orders: [order], atomic: null });
    expect(batch).toMatchObject({ status: 200, body: { results: [{ status: 'accepted' }] } });
    expect(await exchange.client.post('/api/v1/orders', order)).toMatchObject({ status: 200 });
    const funded = await exchange.client.post('/sandbox/fund', { address: WALLET, amount: null, chainId: null });
    expect(funded).toMatchObject({ status: 200 });
    const synced = `/api/v1/positions/${market}/sync?userAddress=${WALLET}`;
    expect(await exchange.client.post(synced, { userAddress: null })).toMatchObject({ status: 200 });
  });

  it('is refused at the sandbox routes and at the sync of a position', async () => {
    const sync = [{}, { userAddress: 7 }, { userAddress: '0x12' }, { userAddress: null }].map(
      (body) => [`/api/v1/positions/${market}/sync`, body] as const,
    );
    for (const [path, body] of [...SANDBOX, ...MARKETS, ...SWITCHES, ...sync]) {
      const text = stringifyJson(body);
      await expectRefusal({ method: 'POST', path, text, headers: JSON_TYPE, status: 400, code: 'invalid_field' });
    }
    const unknown = { method: 'POST', path: `/api/v1/positions/${ID}/sync`, headers: JSON_TYPE };
    const text = stringifyJson({ userAddress: WALLET });
    await expectRefusal({ ...unknown, text, status: 404, code: 'market_not_found' });
    await expectRefusal({ ...unknown, path: `/api/v1/positions/0x1/sync`, text, status: 400, code: 'invalid_field' });
  });

  it('is refused as JSON when it is none', async () => {
    const texts = ['{', '{"order":', 'order', "{'order':1}", '{"order":1,}', '[1,]', '\u0000', '{"a":01}', '{"a":+1}'];
    for (const text of [...texts, '{"a":NaN}', '{"a":12345678901234567890', '<xml/>', 'undefined']) {
      for (const path of ['/api/v1/orders', '/sandbox/fund', `/api/v1/positions/${market}/sync`]) {
        await expectRefusal({ method: 'POST', path, text, headers: JSON_TYPE, status: 400, code: 'invalid_json' });
      }
    }
  });

  it('is refused when its body is JSON but no object, or absent', async () => {
    for (const text of ['null', '[]', '7', '"order"', 'true', '[[]]', '12345678901234567890', '']) {
      const refusal = { method: 'POST', path: '/api/v1/orders', text, headers: JSON_TYPE };
      await expectRefusal({ ...refusal, status: 400, code: 'invalid_field' });
    }
  });

  it('is refused, not followed, when it is nested without end', async () => {
    const text = `{"a":${'['.repeat(20_000)}12345678901234567890${']'.repeat(20_000)}}`;
    const answer = await exchange.client.send('POST', '/api/v1/orders', { text, headers: JSON_TYPE });
    expect(answer.status).toBe(400);
  });

  it('is 413 past 64 KiB and 415 when it is not JSON', async () => {
    const post = { method: 'POST', path: '/api/v1/orders' };
    const text = stringifyJson({ padding: 'x'.repeat(65_536) });
    await expectRefusal({ ...post, text, headers: JSON_TYPE, status: 413, code: 'body_too_large' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'nonsense']) {
      const headers = { 'content-type': type };
      const refused = await expectRefusal({
        ...post,
        text: '{}',
        headers,
        status: 415,
        code: 'unsupported_media_type',
      });
      expect(refused.error).toBe(`The Content-Type must be application/json: got ${type}`);
    }
    const fitting = stringifyJson({ padding: 'x'.repeat(65_000) });
    await expectRefusal({ ...post, text: fitting, headers: JSON_TYPE, status: 400, code: 'invalid_field' });
  });
});

describe('a path or a method that is not there', () => {
  it('is 404 JSON under /api and /sandbox', async () => {
    const paths = ['/api', '/api/', '/api/v1', '/api/v2/orders', '/api/v1/nothing', '/api/v1/orders/a/b/c', '/sandbox'];
    for (const path of [...paths, '/sandbox/nothing', '/api/v1/settlements', '/api/v1/users', '/api/v1/../../etc']) {
      await expectRefusal({ path, status: 404, code: 'not_found' });
    }
    await expectRefusal({ method: 'POST', path: '/api/v1/nothing', status: 404, code: 'not_found' });
  });

  it('is 405 with the methods that there are', async () => {
    const wrong: [method: string, path: string, allow: string][] = [
      ['PUT', '/api/v1/orders', 'GET, HEAD, POST, DELETE'],
      ['PATCH', `/api/v1/orders/${ID}`, 'GET, HEAD, DELETE'],
      ['DELETE', '/api/v1/markets', 'GET, HEAD'],
      ['POST', '/api/v1/config', 'GET, HEAD'],
      ['POST', `/api/v1/settlements/${ID}`, 'GET, HEAD'],
      ['GET', '/sandbox/fund', 'POST'],
      ['DELETE', '/sandbox/time', 'POST'],
      ['GET', `/api/v1/positions/${ID}/sync`, 'POST'],
      ['POST', '/ready', 'GET, HEAD'],
    ];
    for (const [method, path, allow] of wrong) {
      await expectRefusal({ method, path, status: 405, code: 'method_not_allowed' });
      const { headers } = await exchange.client.send(method, path);
      expect(headers.get('allow')?.split(', ').toSorted(), path).toEqual(allow.split(', ').toSorted());
    }
  });

  it('is refused with our own error when it cannot even be parsed', async () => {
    await expectRefusal({ path: '/api/v1/orders/%ZZ', status: 400, code: 'invalid_field' });
    await expectRefusal({ path: '/api/v1/settlements/%E0%A4%A', status: 400, code: 'invalid_field' });
    const long = await exchange.client.get<ErrorReply>(`/api/v1/markets/${'a'.repeat(5_000)}`);
    expect(long.status).toBeGreaterThanOrEqual(400);
    expect(long.status).toBeLessThan(500);
    expect(long.body).toMatchObject({ code: expect.any(String), requestId: long.headers.get('x-request-id') });
  });
});

describe('an order with several faults', () => {
  /** The first row breaks everything; each next one fixes what the last was refused for. */
  it('is refused for the first of them in the published order', async () => {
    const now = (await exchange.client.read<{ now: number }>('/api/v1/time')).now;
    const params: WireOrderParams = { market, side: 'buy', price: '0.5', size: '1', nonce: 1n };
    await exchange.client.order(ann, params);
    const good = await exchange.client.signOrder(ann, { ...params, size: '2' });
    const closed = await closedMarket();
    const rows: [code: string, status: number, change: object, signature: string][] = [
      ['invalid_field', 400, { marketId: 'x', price: 0, size: 0, expiration: 1, makerFeeRecipient: WALLET }, '0x12'],
      [
        'price_out_of_range',
        400,
        { marketId: ID, price: 0, size: 0, expiration: 1, makerFeeRecipient: WALLET },
        '0x12',
      ],
      ['price_out_of_range', 400, { marketId: ID, price: 1_000_000, size: 0 }, '0x12'],
      ['size_zero', 400, { marketId: ID, size: 0, expiration: 1, makerFeeRecipient: WALLET }, '0x12'],
      ['size_too_large', 400, { marketId: ID, size: 2n ** 53n, expiration: 1, makerFeeRecipient: WALLET }, '0x12'],
      ['expiration_too_soon', 400, { marketId: ID, expiration: now + 30, makerFeeRecipient: WALLET }, '0x12'],
      ['fee_recipient_not_zero', 400, { marketId: ID, makerFeeRecipient: WALLET }, '0x12'],
      ['invalid_signature_length', 400, { marketId: ID }, '0x12'],
      ['market_not_found', 404, { marketId: ID }, `0x${'11'.repeat(65)}`],
      ['market_closed', 409, { marketId: closed }, `0x${'11'.repeat(65)}`],
      ['invalid_signature', 400, {}, `0x${'11'.repeat(65)}`],
      ['nonce_already_used', 409, {}, good.signature],
    ];
    for (const [code, status, change, signature] of rows) {
      const text = stringifyJson({ ...good, order: { ...good.order, ...change }, signature });
      await expectRefusal({ method: 'POST', path: '/api/v1/orders', text, headers: JSON_TYPE, status, code });
    }
  });

  async function closedMarket(): Promise<string> {
    const { id } = await exchange.newMarket('Is this one closed by now?', 2);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    return id;
  }
});

describe('a signature', () => {
  it('of somebody else is refused with the signer that it recovers to and what should have been signed', async () => {
    const params = { market, side: 'buy', price: '0.5', size: '1' } as const;
    const other = await exchange.client.signOrder(walletOf('bad input ben'), params);
    const forged = { ...other, order: { ...other.order, trader: ann.address } };
    const { status, body } = await exchange.client.post<ErrorReply>('/api/v1/orders', forged);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_signature' });
    expect(body.details).toMatchObject({
      recoveredSigner: expect.stringMatching(/^0x/),
      orderHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      domain: exchange.client.domain,
    });
  });

  it('is good without 0x, in capitals, and with v as 0 or 1', async () => {
    const shapes = [
      (text: string) => text.slice(2),
      (text: string) => `0x${text.slice(2).toUpperCase()}`,
      (text: string) => text.slice(0, -2) + (text.endsWith('1b') ? '00' : '01'),
    ];
    for (const [index, shape] of shapes.entries()) {
      const good = await exchange.client.signOrder(ann, { market, side: 'buy', price: '0.2', size: `${index + 1}` });
      const answer = await exchange.client.post('/api/v1/orders', { ...good, signature: shape(good.signature) });
      expect(answer.status).toBe(200);
    }
  });

  it('covers nonces past 2^53, sent as plain JSON numbers and as strings, to the last digit', async () => {
    for (const nonce of [2n ** 53n, 2n ** 53n + 1n, (1_700_000_000n << 32n) | 12_345n, 2n ** 64n - 1n]) {
      const good = await exchange.client.signOrder(ann, { market, side: 'buy', price: '0.2', size: '1', nonce });
      expect(stringifyJson(good)).toContain(`"nonce":${nonce},`);
      const { status, body } = await exchange.client.post<{ orderHash: string }>('/api/v1/orders', good);
      expect(status).toBe(200);
      expect(await exchange.client.read(`/api/v1/orders/${body.orderHash}`)).toMatchObject({ nonce });
      const words = {
        ...good,
        order: { ...good.order, nonce: `${nonce}`, price: '200000', side: '0', size: '1000000' },
      };
      const again = await exchange.client.post('/api/v1/orders', words);
      expect(again).toMatchObject({ status: 200, body });
    }
  });

  it('is no matter for the dead-man switch and the clock, which take decimal strings as integers too', async () => {
    const switched = await exchange.client.post('/api/v1/orders/heartbeat', {
      trader: ann.address,
      timeoutSeconds: '0',
    });
    expect(switched).toMatchObject({ status: 200, body: { expiresAt: null } });
    const moved = await exchange.client.post('/sandbox/time', { advanceSeconds: '1' });
    expect(moved).toMatchObject({ status: 200, body: { offsetSeconds: 1 } });
    const fees = { question: 'Are fees text?', feeRateBps: '7', makerShareBps: '100', chainId: '31337' };
    const market7 = await exchange.client.post('/sandbox/markets', fees);
    expect(market7).toMatchObject({ status: 200, body: { feeRateBps: 7, makerShareBps: 100 } });
    const over = await exchange.client.post<ErrorReply>('/sandbox/markets', { ...fees, feeRateBps: '701' });
    expect(over).toMatchObject({ status: 400, body: { details: { field: 'feeRateBps', got: 701 } } });
  });

  it('is accepted with unknown fields', async () => {
    const good = await exchange.client.signOrder(ann, { market, side: 'buy', price: '0.2', size: '7' });
    const text = stringifyJson({ ...good, extra: 1, order: { ...good.order, salt: 5 } }).replace(
      '{',
      '{"__proto__":{},',
    );
    const answer = await exchange.client.send('POST', '/api/v1/orders', { text, headers: JSON_TYPE });
    expect(answer.status).toBe(200);
  });
});

describe('the sandbox', () => {
  it('refuses what its contracts would refuse, with the reason', async () => {
    const refused = { status: 400, body: { code: 'simulation_failed', details: { reason: expect.any(String) } } };
    const wide = { question: '🦓'.repeat(256) };
    expect(await exchange.client.post('/sandbox/markets', wide)).toMatchObject(refused);
    const deep = { reorgDepth: 64 };
    expect((await exchange.client.post('/sandbox/faults', deep)).status).toBeLessThan(500);
  });
});

describe('after all this', () => {
  it('the service is as well as before', async () => {
    const { status, degraded } = await exchange.client.read<{ status: string; degraded: string[] }>('/ready');
    // The reorganization above stands for an hour.
    expect({ status, degraded: degraded.filter((each) => each !== 'deep_reorg') }).toEqual({
      status: 'ready',
      degraded: [],
    });
    expect(await exchange.client.read('/api/v1/failed-trades')).toEqual({ failedTrades: [], count: 0 });
    const metrics = await exchange.client.read<string>('/metrics');
    expect(metrics.split('\n').filter((line) => /status="5\d\d"/.test(line))).toEqual([]);
  });
});
