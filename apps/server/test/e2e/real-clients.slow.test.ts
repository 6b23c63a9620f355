// What clients of other venues expect, asked for with bare HTTP and WebSocket: no SDK between the test and the wire.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { apiKeyMessagePrefix, OrderSubmissionInput, parseJson, STREAM_MESSAGES } from '@presage/protocol';
import { signBearerToken } from '@presage/protocol/ed25519';
import { QUICK_MARKETS, waitFor, walletOf } from '@presage/testkit';
import { Compile } from 'typebox/compile';
import { type Hex, hashTypedData, parseSignature, serializeSignature } from 'viem';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import type { ErrorReply, MarketBody, TradeBody } from './wire.ts';

const [ann, ben] = [walletOf('client ann'), walletOf('client ben')];
let exchange: Exchange;
let market: MarketBody;
let other: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: QUICK_MARKETS });
  market = await exchange.newMarket('Do real clients find what they expect?');
  other = await exchange.newMarket('And in another market?');
});
afterAll(() => exchange?.close());

type Fields = Record<string, unknown>;
interface Orders {
  readonly orders: { readonly orderHash: Hex; readonly marketId: Hex; readonly status: string }[];
  readonly count: number;
}

function ordersOf(wallet: { readonly address: string }, query = ''): Promise<Orders> {
  return exchange.client.read(`/api/v1/orders?trader=${wallet.address}${query}`);
}

async function refusalOf(path: string, body: unknown): Promise<ErrorReply> {
  return (await exchange.client.post<ErrorReply>(path, body)).body;
}

async function listen(requests: readonly object[]): Promise<Fields[]> {
  const socket = new WebSocket(`${exchange.client.url.replace('http', 'ws')}/api/v1/stream`);
  onTestFinished(() => socket.close());
  const received: Fields[] = [];
  socket.on('message', (data) => received.push(parseJson(String(data)) as Fields));
  await new Promise((resolve) => socket.once('open', resolve));
  for (const request of requests) socket.send(JSON.stringify(request));
  return received;
}

describe('the price history of a first start', () => {
  it('reaches back twenty minutes, before time was ever moved', expectWholeHistory);
});

describe('a trade', () => {
  it('has the same integer id in the answer, in every list and on the stream, and ids grow with time', async () => {
    const received = await listen([
      { type: 'subscribe', marketId: market.id },
      { type: 'subscribe', channel: 'user', data: { address: ben.address } },
    ]);
    await waitFor(
      'both subscriptions stand',
      async () => received.filter(({ type }) => type === 'subscribe').length === 2,
    );
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.4', size: '3' });
    const submission = await exchange.client.signOrder(ben, {
      market: market.id,
      side: 'buy',
      price: '0.4',
      size: '2',
    });
    const { body: first } = await exchange.client.post<{ trades: TradeBody[] }>('/api/v1/orders', submission);
    const second = await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.4', size: '1' });
    const ids = [first.trades[0]!.id, second.trades[0]!.id];
    expect(ids.every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true);
    expect(ids[1]).toBeGreaterThan(ids[0]!);

    // On a busy machine the view may say for a moment that it is behind.
    const listed = await waitFor('the view has both', () => exchange.trades(market.id).catch(() => undefined));
    expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(listed.map(({ tradeId }) => tradeId)).toEqual([second.trades[0]!.tradeId, first.trades[0]!.tradeId]);
    expect(listed.every(({ marketId }) => marketId === market.id)).toBe(true);
    const { activity } = await exchange.client.read<{ activity: TradeBody[] }>(
      `/api/v1/users/${ben.address}/activity?chain_id=31337`,
    );
    expect(activity.map(({ id }) => id)).toEqual(ids.toReversed());

    await exchange.settled();
    const idsOf = (type: string) =>
      received.filter((each) => each.type === type).map(({ data }) => (data as { id: unknown }).id);
    await waitFor('the stream has reported both trades to their end', async () => idsOf('trade_status').length >= 4);
    expect(idsOf('trade')).toEqual(ids);
    expect(idsOf('fill')).toEqual(ids);
    expect(new Set(idsOf('trade_status'))).toEqual(new Set(ids));
    const { fills } = await exchange.client.read<{ fills: { id: number }[] }>(
      `/api/v1/settlements/${(await exchange.trades(market.id))[0]!.txHash}`,
    );
    expect(fills.every(({ id }) => ids.includes(id))).toBe(true);

    const again = await exchange.client.post('/api/v1/orders', submission);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first);
  });
});

describe('the list of orders', () => {
  it('is of one market where market_id asks for it, under both of its names', async () => {
    const here = await exchange.client.order(ann, { market: market.id, side: 'buy', price: '0.1', size: '1' });
    const there = await exchange.client.order(ann, { market: other.id, side: 'buy', price: '0.1', size: '1' });
    const all = (await ordersOf(ann)).orders.map(({ orderHash }) => orderHash);
    expect(all).toEqual(expect.arrayContaining([here.orderHash, there.orderHash]));
    for (const name of ['market_id', 'market']) {
      const { orders } = await ordersOf(ann, `&${name}=${other.id}`);
      expect(orders.map(({ orderHash }) => orderHash)).toEqual([there.orderHash]);
    }
    expect(await ordersOf(ann, `&market_id=${other.id}&market=${market.id}`)).toMatchObject({ count: 0 });
    const { status } = await exchange.client.get(`/api/v1/orders?trader=${ann.address}&market_id=nonsense`);
    expect(status).toBe(400);
  });

  it('has those with fills, or all of the last day, where status asks for them', async () => {
    const eve = walletOf('client eve');
    const params = { market: other.id, side: 'sell', price: '0.7', size: '5' } as const;
    const filled = await exchange.client.order(eve, { ...params, size: '1' });
    const part = await exchange.client.order(eve, params);
    const gone = await exchange.client.order(eve, { ...params, price: '0.8' });
    await exchange.client.order(ben, { ...params, side: 'buy', size: '3' });
    await exchange.client.delete(`/api/v1/orders/${gone.orderHash}?marketId=${other.id}&side=sell`);
    const hashesOf = async (query: string) => (await ordersOf(eve, query)).orders.map(({ orderHash }) => orderHash);
    expect(await hashesOf('')).toEqual([part.orderHash]);
    expect(await hashesOf('&status=open')).toEqual([part.orderHash]);
    expect(await hashesOf('&status=partially_filled')).toEqual([part.orderHash]);
    const all = await ordersOf(eve, '&status=all');
    expect(all.orders.map(({ orderHash }) => orderHash)).toEqual([gone.orderHash, part.orderHash, filled.orderHash]);
    expect(all.orders.map(({ status }) => status)).toEqual(['cancelled', 'open', 'filled']);
    expect(await hashesOf(`&status=all&market_id=${market.id}`)).toEqual([]);
    expect(await hashesOf('&status=all&limit=1')).toEqual([gone.orderHash]);
    expect(await hashesOf('&status=filled')).toEqual([filled.orderHash]);
    expect(await hashesOf('&status=cancelled')).toEqual([gone.orderHash]);
    expect(await hashesOf('&status=expired')).toEqual([]);
    const { status } = await exchange.client.get(`/api/v1/orders?trader=${eve.address}&status=sleeping`);
    expect(status).toBe(400);
  });
});

describe('limit', () => {
  const lists = () => [
    [`/api/v1/trades/${market.id}`, 'trades'],
    [`/api/v1/activity/${market.id}`, 'activity'],
    [`/api/v1/holders/${market.id}`, 'topHolders'],
    [`/api/v1/candles/${market.id}?interval=1m`, 'candles'],
    [`/api/v1/users/${ann.address}/activity?chain_id=31337`, 'activity'],
    [`/api/v1/users/${ann.address}/orders?chain_id=31337`, 'orders'],
    [`/api/v1/users/${ann.address}/positions?chain_id=31337`, 'positions'],
    ['/api/v1/quick-markets/BTC/history', 'markets'],
    ['/api/v1/quick-markets/BTC/price-history', 'prices'],
    ['/api/v1/pending-trades', 'pendingTrades'],
    ['/api/v1/failed-trades', 'failedTrades'],
    ['/api/v1/pending-claims', 'pendingClaims'],
    ['/api/v1/failed-claims', 'failedClaims'],
    ['/api/v1/markets', 'markets'],
  ];

  it('is honoured on every list, clamped above and refused below', async () => {
    for (const [path, name] of lists()) {
      const withLimit = (limit: string) => `${path}${path!.includes('?') ? '&' : '?'}limit=${limit}`;
      const one = await exchange.client.read<Record<string, unknown[]>>(withLimit('1'));
      expect(one[name!]!.length, path).toBeLessThanOrEqual(1);
      expect((await exchange.client.get(withLimit('999999999'))).status, path).toBe(200);
      expect((await exchange.client.get(withLimit('0'))).status, path).toBe(400);
    }
  });

  it('leaves the newest where there is more, and the largest of the holders', async () => {
    const busy = await exchange.newMarket('Is the newest kept?');
    await exchange.client.post('/sandbox/time', { advanceSeconds: 120 });
    await exchange.client.order(ann, { market: busy.id, side: 'sell', price: '0.4', size: '9' });
    await exchange.client.order(ben, { market: busy.id, side: 'buy', price: '0.4', size: '2' });
    await exchange.settled();
    // Past the end of a window, so that there are candles and quick markets of two times.
    await exchange.client.post('/sandbox/time', { advanceSeconds: 1_000 });
    await exchange.client.order(walletOf('client hal'), { market: busy.id, side: 'buy', price: '0.4', size: '3' });
    const lists: [path: string, name: string, newest: 'first' | 'last'][] = [
      [`/api/v1/trades/${busy.id}?`, 'trades', 'first'],
      [`/api/v1/activity/${busy.id}?`, 'activity', 'first'],
      [`/api/v1/users/${ann.address}/activity?chain_id=31337&`, 'activity', 'first'],
      [`/api/v1/holders/${busy.id}?`, 'topHolders', 'first'],
      [`/api/v1/candles/${busy.id}?interval=1m&`, 'candles', 'last'],
      ['/api/v1/quick-markets/BTC/history?', 'markets', 'first'],
      ['/api/v1/quick-markets/BTC/price-history?', 'prices', 'last'],
    ];
    for (const [path, name, newest] of lists) {
      await waitFor(`${path} keeps the right one`, async () => {
        const read = async (query: string) =>
          (await exchange.client.read<Record<string, unknown[]>>(path + query))[name]!;
        // Prices come while the two are read: then they are read again.
        const [all, one] = [await read('limit=100'), await read('limit=1')];
        return all.length >= 2 && isDeepStrictEqual(one, newest === 'first' ? all.slice(0, 1) : all.slice(-1));
      });
    }
  });
});

describe('an interval other than 15 minutes', () => {
  it('has no quick market and no history', async () => {
    const active = await waitFor('BTC is active', async () => {
      const answer = await exchange.client.read<Fields>('/api/v1/quick-markets/BTC?interval=15');
      return answer.active === true && answer;
    });
    expect(active).toMatchObject({ asset: 'BTC' });
    expect(await exchange.client.read('/api/v1/quick-markets/BTC?interval=60')).toEqual({
      active: false,
      asset: 'BTC',
      nextMarket: null,
      quickMarket: null,
    });
    expect(await exchange.client.read('/api/v1/quick-markets/BTC/history?interval=60')).toEqual({
      asset: 'BTC',
      markets: [],
      count: 0,
    });
    expect(await exchange.client.read('/api/v1/quick-markets/BTC/history?interval=15')).toMatchObject({ asset: 'BTC' });
    expect((await exchange.client.get('/api/v1/quick-markets/BTC?interval=soon')).status).toBe(400);
  });
});

describe('a bearer token where authentication is off', () => {
  it('says whose orders, switch and statistics are meant, and is refused when it is not good', async () => {
    const dan = walletOf('client dan');
    const signature = await dan.signMessage({ message: `${apiKeyMessagePrefix('Presage')}${dan.address}` });
    const { body: key } = await exchange.client.post<{ api_key_id: string; api_private_key: string }>(
      '/api/v1/api-keys',
      { address: dan.address, signature },
    );
    const token = () => {
      const payload = { kid: key.api_key_id, ts: Math.floor(Date.now() / 1_000), n: randomBytes(16).toString('hex') };
      return `Bearer ${signBearerToken(payload, key.api_private_key)}`;
    };
    const send = (method: string, path: string, authorization: string, body?: object) =>
      exchange.client.send<Fields>(method, path, {
        headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { text: JSON.stringify(body) }),
      });
    const { orderHash } = await exchange.client.order(dan, { market: other.id, side: 'buy', price: '0.2', size: '1' });
    const stats = await send('GET', '/api/v1/user-stats', token());
    expect(stats).toMatchObject({ status: 200, body: { user_address: dan.address } });
    const beat = await send('POST', '/api/v1/orders/heartbeat', token(), { timeoutSeconds: 3_600 });
    expect(beat.status).toBe(200);
    expect((await send('DELETE', '/api/v1/orders', token())).body).toMatchObject({ cancelled: [orderHash], count: 1 });

    const spent = token();
    expect((await send('GET', '/api/v1/user-stats', spent)).status).toBe(200);
    expect(await send('DELETE', '/api/v1/orders', spent)).toMatchObject({
      status: 401,
      body: { error: 'token already used' },
    });
    expect(await send('DELETE', '/api/v1/orders', 'Bearer abc')).toMatchObject({
      status: 401,
      body: { error: 'invalid token format' },
    });
    const stranger = await exchange.client.order(ann, { market: other.id, side: 'buy', price: '0.11', size: '1' });
    const path = `/api/v1/orders/${stranger.orderHash}?marketId=${other.id}`;
    expect((await send('DELETE', path, token())).status).toBe(403);
    expect((await exchange.client.delete(path)).status).toBe(200);
  });
});

describe('the sentence of a refusal', () => {
  it('names the field and the reason', async () => {
    const good = await exchange.client.signOrder(ann, { market: market.id, side: 'buy', price: '0.5', size: '1' });
    const refused = async (change: object) =>
      (await refusalOf('/api/v1/orders', { ...good, order: { ...good.order, ...change } })).error;
    expect(await refused({ price: 1_000_000 })).toBe('price must be between 1 and 999999: got 1000000');
    expect(await refused({ size: 0 })).toBe('size must be above 0: got 0');
    expect(await refused({ side: 7 })).toBe('order.side must be 0 or 1: got 7');
    expect(await refused({ trader: undefined })).toBe('order.trader is missing: it must be 0x and 40 hex digits');
    expect(await refused({ expiration: 5 })).toMatch(/^expiration must be at least \d+, a minute after .*: got 5$/);
    const unknown = `0x${'77'.repeat(32)}`;
    expect(await refused({ marketId: unknown })).toBe(`No market has the id ${unknown}`);
    const { body } = await exchange.client.get<ErrorReply>('/api/v1/orders?trader=me');
    expect(body.error).toBe('trader must be an address: 0x and 40 hex digits: got me');
  });

  it('names the mistake that made a signature wrong', async () => {
    const { order } = await exchange.client.signOrder(ann, { market: market.id, side: 'buy', price: '0.5', size: '1' });
    const { types } = await exchange.client.read<{ types: { Order: { name: string; type: string }[] } }>(
      '/api/v1/config',
    );
    const { domain } = exchange.client;
    const message = {
      ...order,
      price: BigInt(order.price),
      size: BigInt(order.size),
      expiration: BigInt(order.expiration),
    };
    const sign = (overrides: { domain?: object; fields?: { name: string; type: string }[] }) =>
      ann.signTypedData({
        domain: { ...domain, ...overrides.domain },
        types: { Order: overrides.fields ?? types.Order },
        primaryType: 'Order',
        message,
      } as never);
    const wide = types.Order.map(({ name, type }) => ({ name, type: type === 'uint64' ? 'uint256' : type }));
    const hash = hashTypedData({ domain, types, primaryType: 'Order', message } as never);
    const right = parseSignature(await sign({}));
    const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const highS = serializeSignature({
      r: right.r,
      s: `0x${(curveOrder - BigInt(right.s)).toString(16).padStart(64, '0')}`,
      yParity: right.yParity === 0 ? 1 : 0,
    });
    const cases: [Hex, RegExp][] = [
      [await sign({ fields: wide }), /hashed as uint256/],
      [await sign({ domain: { chainId: 1 } }), /chainId was 1, it is 31337/],
      [await sign({ domain: { verifyingContract: market.contractAddress } }), /verifyingContract was 0x/],
      [await sign({ domain: { verifyingContract: market.stablecoin } }), /verifyingContract was 0x/],
      [await ann.signMessage({ message: { raw: hash } }), /personal_sign/],
      [await ann.signMessage({ message: hash }), /personal_sign/],
      [highS, /s is too high/],
    ];
    for (const [signature, mistake] of cases) {
      const refusal = await refusalOf('/api/v1/orders', { order, signature });
      expect(refusal.code).toBe('invalid_signature');
      expect(refusal.error).toMatch(mistake);
    }
    const unrelated = await refusalOf('/api/v1/orders', {
      order,
      signature: await ben.signMessage({ message: 'no order' }),
    });
    expect(unrelated.error).toBe('The signature does not recover to the trader');
    expect((await exchange.client.post('/api/v1/orders', { order, signature: await sign({}) })).status).toBe(200);
  });
});

describe('the sentence of the relayer', () => {
  it('says why a transaction would fail, and keeps the fixed texts', async () => {
    const fay = await RelayedWallet.open(exchange, walletOf('client fay'));
    const refused = async (operation: string, body: object) => (await fay.post(operation, body)).body.error;
    const stale = await fay.approval(true, { nonce: 9n });
    expect(await refused('ctf-approval', stale)).toMatch(
      /^The transaction would fail: the signature is not that of this wallet/,
    );
    const early = await refused('ctf-redemption', await fay.redemption(market));
    expect(early).toMatch(/^The transaction would fail: the market is not decided yet/);
    const good = await fay.approval();
    expect(await refused('ctf-approval', {})).toBe('Invalid request body');
    expect(await refused('ctf-approval', { ...good, owner: 'me' })).toBe('Invalid address format');
    expect(await refused('ctf-approval', { ...good, r: '0x12' })).toBe('Invalid signature format');
    expect(await refused('ctf-approval', { ...good, chainId: 1 })).toBe('No relayer configured for chain');
  });
});

describe('a wallet that meets its own order', () => {
  it('trades with itself where the order says nothing about it', async () => {
    const gil = walletOf('client gil');
    const own = await exchange.newMarket('Does a wallet trade with itself?');
    const params = { market: own.id, price: '0.5', size: '1' } as const;
    await exchange.client.order(gil, { ...params, side: 'sell' });
    expect(await exchange.client.order(gil, { ...params, side: 'buy' })).toMatchObject({ matches: 1 });
  });
});

describe('the configuration', () => {
  it('publishes the domain of the real stablecoin and the types of everything that is signed', async () => {
    const config = await exchange.client.read<{ chains: Fields[]; types: Fields; signingDomains: Fields }>(
      '/api/v1/config',
    );
    expect(config.chains[0]!.stablecoin).toMatchObject({ name: 'USD Coin', version: '2', symbol: 'USDC', decimals: 6 });
    expect(config.types.Order).toContainEqual({ name: 'price', type: 'uint64' });
    expect(config.types.Permit).toContainEqual({ name: 'spender', type: 'address' });
    expect(config.types.RedeemPositions).toContainEqual({ name: 'indexSets', type: 'uint256[]' });
    expect(config.types.ApiKeyMessage).toBe('Register API key for Presage: {address}');
    expect(Object.keys(config.signingDomains).sort()).toEqual(Object.keys(config.types).sort());
  });

  it('shows an order in /openapi.json that is well-formed in every field', async () => {
    const document = await exchange.client.read<{ paths: Record<string, Fields> }>('/openapi.json');
    const post = document.paths['/api/v1/orders']!.post as {
      requestBody: { content: Record<string, { examples: Record<string, { value: unknown }> }> };
    };
    const { examples } = post.requestBody.content['application/json']!;
    const example = examples.restingOrder!.value;
    expect(Compile(OrderSubmissionInput).Check(example)).toBe(true);
    expect(await refusalOf('/api/v1/orders', example)).toMatchObject({ code: 'market_not_found' });
    const { errors } = (await exchange.client.post<{ errors: { code: string }[] }>('/api/v1/orders/validate', example))
      .body;
    expect(errors.map(({ code }) => code)).toEqual(['market_not_found']);
  });
});

describe('the stream', () => {
  it('answers an error for an asset without quick markets', async () => {
    const received = await listen([{ type: 'subscribe', channel: 'quick_market', data: { asset: 'DOGE' }, id: 4 }]);
    const error = await waitFor('it was answered', async () => received.find(({ type }) => type === 'error'));
    expect(error).toMatchObject({ code: 'asset_not_found', id: 4, data: { code: 'asset_not_found' } });
    expect(Compile(STREAM_MESSAGES.error).Check(error)).toBe(true);
  });

  it('notifies every connection when the clock is moved, and the price history has no gap afterwards', async () => {
    const received = await listen([]);
    const before = (await exchange.client.read<{ nowMs: number }>('/api/v1/time')).nowMs;
    expect((await exchange.client.post('/sandbox/time', { advanceSeconds: 3_600 })).status).toBe(200);
    const clock = await waitFor('the clock message arrived', async () => received.find(({ type }) => type === 'clock'));
    expect(Compile(STREAM_MESSAGES.clock).Check(clock)).toBe(true);
    expect(clock.nowMs).toBeGreaterThanOrEqual(before + 3_600_000);
    await expectWholeHistory();
  });
});

/** No minute of the last twenty is without a price. */
async function expectWholeHistory(): Promise<void> {
  for (const asset of ['BTC', 'ETH']) {
    await waitFor(`the history of ${asset} is whole`, async () => {
      const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
      const path = `/api/v1/quick-markets/${asset}/price-history`;
      const { prices } = await exchange.client.read<{ prices: { timestamp: number }[] }>(path);
      const times = prices.map(({ timestamp }) => timestamp);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const minutes = new Set(times.map((time) => Math.floor((now - time) / 60)));
      return [...Array(19).keys()].every((minute) => minutes.has(minute));
    });
  }
}
