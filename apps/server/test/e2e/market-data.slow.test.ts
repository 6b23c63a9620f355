// Markets, books, trades and the service about itself, as any visitor reads them.
import { createHash } from 'node:crypto';
import { FIRST_CATEGORIES, Market, OrderbookSnapshot, Trade } from '@presage/protocol';
import { walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { type BookBody, expectShape, type MarketBody } from './wire.ts';

const [ann, ben] = [walletOf('data ann'), walletOf('data ben')];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_QUICK_ASSETS: 'BTC' } });
});
afterAll(() => exchange?.close());

interface MarketPage {
  readonly markets: MarketBody[];
  readonly count: number;
  readonly nextCursor?: string | null;
}

function list(query = ''): Promise<MarketPage> {
  return exchange.client.read(`/api/v1/markets${query}`);
}

describe('markets', () => {
  it('are there from the first start, one of every category', async () => {
    const markets = await exchange.seededMarkets();
    expect(new Set(markets.map(({ category }) => category))).toEqual(new Set(FIRST_CATEGORIES.map(({ id }) => id)));
    for (const market of markets) {
      expectShape(market, Market);
      expect(market).toMatchObject({ status: 'open', resolved: false, winningOutcome: null, chainId: 31337 });
      expect(market).toMatchObject({ conditionId: market.id, kind: 'standard', bestAskPrice: 0, bestBidPrice: 0 });
      expect(market).toMatchObject({ volume: 0, volume24h: 0, lastPrice: 0, lastYesPrice: 0 });
    }
  });

  it('are filtered by chain, category, status, kind and text', async () => {
    await exchange.seededMarkets();
    const odd = await exchange.newMarket('Will the ZEBRA crossing be painted?');
    // Quick markets come and go by the clock.
    const all = await list('?kind=standard');
    expect(all.count).toBe(all.markets.length);
    expect(await list('?kind=standard&chain_id=31337')).toEqual(all);
    expect(await list('?chain_id=1')).toMatchObject({ markets: [], count: 0 });
    expect((await list('?category=defi')).markets.every(({ category }) => category === 'defi')).toBe(true);
    expect((await list('?category=defi')).count).toBeGreaterThan(0);
    expect((await list('?search=zebra')).markets.map(({ id }) => id)).toEqual([odd.id]);
    expect(await list('?kind=standard&status=open')).toEqual(all);
    expect(await list('?kind=standard&status=expired')).toMatchObject({ markets: [], count: 0 });
    expect((await list('?kind=quick')).markets.every(({ kind }) => kind === 'quick')).toBe(true);
  });

  it('come in pages that miss none and repeat none', async () => {
    const { markets } = await list('?kind=standard');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: MarketPage = await list(`?kind=standard&limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
      expect(page.count).toBe(page.markets.length);
      expect(page.markets.length).toBeLessThanOrEqual(2);
      seen.push(...page.markets.map(({ id }) => id));
      cursor = page.nextCursor ?? null;
    }
    expect(seen.toSorted()).toEqual(markets.map(({ id }) => id).toSorted());
    expect((await list('?kind=standard&limit=100000')).markets).toHaveLength(markets.length);
  });

  it('are found one by one, in either case of their id, and refused when unknown', async () => {
    const market = await exchange.newMarket('Is this market found alone?');
    expect(await exchange.client.read(`/api/v1/markets/${market.id}`)).toEqual(market);
    expect(await exchange.client.read(`/api/v1/markets/0x${market.id.slice(2).toUpperCase()}`)).toEqual(market);
    const unknown = await exchange.client.get(`/api/v1/markets/0x${'ab'.repeat(32)}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'market_not_found' } });
  });

  it('show their best prices, their volume and their last prices', async () => {
    const market = await exchange.newMarket('Do the figures follow the trades?');
    const at = { market: market.id } as const;
    await exchange.client.order(ann, { ...at, side: 'sell', price: '0.6', size: '3' });
    await exchange.client.order(ben, { ...at, side: 'buy', price: '0.6', size: '2' });
    await exchange.client.order(ben, { ...at, side: 'buy', price: '0.45', size: '2' });
    await exchange.client.order(ann, { ...at, side: 'sell', outcome: 'NO', price: '0.333333', size: '1' });
    await exchange.client.order(ben, { ...at, side: 'buy', outcome: 'NO', price: '0.333333', size: '1' });
    await exchange.client.order(ann, { ...at, side: 'sell', outcome: 'NO', price: '0.7', size: '1' });
    const shown = await exchange.client.read<MarketBody>(`/api/v1/markets/${market.id}`);
    expect(shown).toMatchObject({ bestAskPrice: 600_000, bestBidPrice: 450_000, lastPrice: 333_333 });
    // The bid for YES offers nobody NO at 0.55.
    expect(shown).toMatchObject({ bestNoAskPrice: 700_000 });
    expect(shown).toMatchObject({ lastYesPrice: 666_667, volume: 1_533_333, volume24h: 1_533_333 });
  });
});

/** As docs/protocol.md, "Book hash" defines it, from nothing but the answer. */
function hashOf(levels: { outcome: number; side: number; price: unknown; size: unknown }[]): string {
  const sum = levels.reduce((total, { outcome, side, price, size }) => {
    const digest = createHash('sha256').update(`${outcome}:${side}:${price}:${size}`).digest();
    return BigInt.asUintN(64, total + digest.readBigUInt64BE(0));
  }, 0n);
  return sum.toString(16).padStart(16, '0');
}

function sidesOf({ bids, asks }: BookBody, outcome?: number) {
  const of = (levels: BookBody['bids'], side: number) =>
    levels.map((level) => ({ ...level, side, outcome: outcome ?? level.outcome! }));
  return [...of(bids, 0), ...of(asks, 1)];
}

describe('the orderbook', () => {
  let market: MarketBody;
  const read = (query = '') => exchange.client.read<BookBody>(`/api/v1/orderbook/${market.id}${query}`);

  beforeAll(async () => {
    market = await exchange.newMarket('What is on the book?');
    const rest = [
      ['buy', 'YES', '0.4', '9007199254.740991'],
      ['buy', 'YES', '0.4', '9007199254.740991'],
      ['buy', 'YES', '0.41', '1.5'],
      ['sell', 'YES', '0.6', '2'],
      ['sell', 'YES', '0.55', '3'],
      ['buy', 'NO', '0.41', '7'],
      ['sell', 'NO', '0.9', '0.000001'],
    ] as const;
    for (const [side, outcome, price, size] of rest) {
      await exchange.client.order(ann, { market: market.id, side, outcome, price, size });
    }
  });

  it('has one outcome when one is named, best prices first, exact past 2^53', async () => {
    const yes = await read('?outcome=YES');
    expectShape(yes, OrderbookSnapshot);
    expect(yes.bids).toEqual([
      { price: 410_000, size: 1_500_000 },
      { price: 400_000, size: 18_014_398_509_481_982n },
    ]);
    expect(yes.asks).toEqual([
      { price: 550_000, size: 3_000_000 },
      { price: 600_000, size: 2_000_000 },
    ]);
    expect(yes).toMatchObject({ marketId: market.id, outcome: 0 });
    expect(await read('?outcome=0')).toEqual(yes);
    expect(await read('?outcome=no')).toEqual(await read('?outcome=1'));
    expect(await read('?outcome=NO')).toMatchObject({
      outcome: 1,
      bids: [{ price: 410_000, size: 7_000_000 }],
      asks: [{ price: 900_000, size: 1 }],
    });
  });

  it('has both outcomes side by side, never summed, when none is named', async () => {
    const both = await read();
    expect(both).not.toHaveProperty('outcome');
    expect(both.bids).toEqual([
      { price: 410_000, size: 1_500_000, outcome: 0 },
      { price: 410_000, size: 7_000_000, outcome: 1 },
      { price: 400_000, size: 18_014_398_509_481_982n, outcome: 0 },
    ]);
    expect(both.asks.map(({ price, outcome }) => [price, outcome])).toEqual([
      [550_000, 0],
      [600_000, 0],
      [900_000, 1],
    ]);
  });

  it('carries the hash of its levels, and a sequence that each step moves by one', async () => {
    const [yes, no, both] = [await read('?outcome=YES'), await read('?outcome=NO'), await read()];
    expect(yes.hash).toBe(hashOf(sidesOf(yes, 0)));
    expect(no.hash).toBe(hashOf(sidesOf(no, 1)));
    expect(both.hash).toBe(hashOf(sidesOf(both)));
    const params = { market: market.id, side: 'buy', price: '0.1', size: '1' } as const;
    const { orderHash } = await exchange.client.order(ben, params);
    const more = await read('?outcome=YES');
    expect(more.seq).toBe(yes.seq + 1);
    expect(more.hash).toBe(hashOf(sidesOf(more, 0)));
    await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`);
    expect(await read('?outcome=YES')).toMatchObject({ hash: yes.hash, seq: yes.seq + 2 });
  });

  it('is empty for a market that is not known', async () => {
    const marketId = `0x${'ab'.repeat(32)}`;
    const empty = { marketId, bids: [], asks: [], lastUpdate: 0, seq: 0, hash: '0000000000000000' };
    expect(await exchange.client.read(`/api/v1/orderbook/${marketId}`)).toEqual(empty);
    expect(await exchange.client.read(`/api/v1/orderbook/${marketId}?outcome=1`)).toEqual({ ...empty, outcome: 1 });
  });
});

describe('the trades of a market', () => {
  it('are at most the hundred newest, newest first', async () => {
    const market = await exchange.newMarket('How many trades are listed?');
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.5', size: '1000' });
    const ids: number[] = [];
    for (let index = 0; index < 105; index++) {
      const params = { market: market.id, side: 'buy', price: '0.5', size: '1', timeInForce: 'IOC' } as const;
      ids.push((await exchange.client.order(ben, params)).trades[0]!.id);
    }
    const { marketId, trades, count } = await exchange.client.read<{
      marketId: string;
      trades: { id: string; timestamp: number }[];
      count: number;
    }>(`/api/v1/trades/${market.id}`);
    expect({ marketId, count }).toEqual({ marketId: market.id, count: 100 });
    expect(trades.map(({ id }) => id)).toEqual(ids.slice(5).toReversed());
    for (const trade of trades) expectShape(trade, Trade);
    expect(trades.map(({ timestamp }) => timestamp)).toEqual(
      trades.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
    );
    await exchange.settled();
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 105_000_000n, no: 0n });
  });

  it('are refused for an unknown market', async () => {
    const unknown = await exchange.client.get(`/api/v1/trades/0x${'ab'.repeat(32)}`);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'market_not_found' } });
  });
});

describe('the service about itself', () => {
  it('returns everything that a client needs in order to sign', async () => {
    const config = await exchange.client.read<{ chains: object[] }>('/api/v1/config');
    expect(config).toMatchObject({ service: 'Presage', sandbox: true, authRequired: false });
    expect(config).toMatchObject({
      apiKeyMessagePrefix: 'Register API key for Presage: ',
      limits: { minOrderSize: 1 },
    });
    expect(config.chains).toMatchObject([
      {
        chainId: 31337,
        confirmations: 1,
        settlement: { name: 'PresageSettlement', version: '1' },
        conditionalTokens: { name: 'ConditionalTokensWithPermit', version: '1' },
        stablecoin: { decimals: 6, permitPath: '/api/v1/relayer/usdc-permit' },
        settlementGraceSeconds: 3_600,
        oracle: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        disputeWindowSeconds: 7_200,
        bondAmount: '100000000',
        bondPermitRequired: false,
        collateralCheck: 'off',
        rpcUrl: exchange.sandbox.rpcUrl,
      },
    ]);
  });

  it('returns its clock in seconds and in milliseconds', async () => {
    const { now, nowMs } = await exchange.client.read<{ now: number; nowMs: number }>('/api/v1/time');
    expect(Math.abs(nowMs / 1_000 - now)).toBeLessThan(2);
  });

  it('is alive and ready, with nothing degraded', async () => {
    expect(await exchange.client.read('/health')).toEqual({ status: 'alive' });
    expect(await exchange.client.read('/ready')).toEqual({ status: 'ready', degraded: [] });
  });

  it('shows the operator the state of its parts', async () => {
    const status = await exchange.client.read('/api/v1/status');
    expect(status).toMatchObject({
      dependencies: { journal: { up: true }, engine: { up: true }, database: { up: true }, chain: { up: true } },
      settlementQueue: { waiting: expect.any(Number), batchesInFlight: expect.any(Number) },
      relayer: { address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/), balance: expect.stringMatching(/^\d+$/) },
    });
  });

  it('is measured for Prometheus', async () => {
    const { status, headers, body } = await exchange.client.get<string>('/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(body).toMatch(/^presage_orders_accepted_total [1-9]\d*$/m);
    expect(body).toMatch(/^presage_view_lag \d+$/m);
  });

  it('gives every answer a request id of its own', async () => {
    const ids = await Promise.all(
      ['/health', '/api/v1/time', '/nowhere'].map(
        async (path) => (await exchange.client.get(path)).headers.get('x-request-id') ?? '',
      ),
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id.length >= 8)).toBe(true);
  });
});
