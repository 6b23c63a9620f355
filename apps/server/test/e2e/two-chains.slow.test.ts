// Two chains in one sandbox: each trades, settles and fails for itself; one is killed and brought back, then everything is.
import { execFileSync } from 'node:child_process';
import { isLongRun, type OrderAnswerBody, SeededRandom, seedFromEnv, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { type AnsweredOrder, BUYERS, RecordedLoad, SELLERS } from './recorded-load.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import type { ErrorReply, MarketBody, OrderBody, TradeBody } from './wire.ts';

const FIRST = 31337;
const SECOND = 31338;
const TWO = { PRESAGE_SANDBOX_CHAINS: '2' };
/** The pause of each of the twelve writers: every order that was answered is compared twice in the end, here and on its chain. */
const PAUSE_MS = isLongRun ? undefined : 200;
/** On each chain, before something is killed and after it. */
const ANSWERS = isLongRun ? 20 : 8;
const [alice, bob, carol] = [walletOf('two chains alice'), walletOf('two chains bob'), walletOf('two chains carol')];
/** One on each chain, where carol alone orders. */
const halting: MarketBody[] = [];
const random = new SeededRandom(seedFromEnv(Date.now()));

let one: Exchange;
let two: Exchange;

beforeAll(async () => {
  one = await Exchange.open({ env: TWO });
  two = await one.on(SECOND);
});
afterAll(() => one?.close());

async function reopen(): Promise<void> {
  one = await one.reopen({ env: { PRESAGE_QUICK_ASSETS: 'BTC', ...TWO } });
  two = await two.over(one.sandbox);
}

async function placeOnBoth(price: number) {
  const terms = { side: 'buy', price: `0.${price}`, size: '1' } as const;
  return [
    await one.client.placeOrder(carol, { market: halting[0]!.id, ...terms }),
    await two.client.placeOrder(carol, { market: halting[1]!.id, ...terms }),
  ];
}

interface Statistics {
  readonly chains: readonly {
    readonly chain_id: number;
    readonly total_trades: number;
    readonly total_volume: unknown;
  }[];
  readonly total_trades: number;
  readonly total_markets: number;
}

async function trade(exchange: Exchange, market: MarketBody, size = '10'): Promise<OrderAnswerBody> {
  await exchange.client.order(alice, { market: market.id, side: 'sell', price: '0.4', size });
  const answer = await exchange.client.order(bob, { market: market.id, side: 'buy', price: '0.4', size });
  expect(answer.matches).toBe(1);
  return answer;
}

async function settledIn(exchange: Exchange, market: MarketBody): Promise<TradeBody[]> {
  return waitFor(`every trade of ${market.question} is confirmed`, async () => {
    const trades = await exchange.trades(market.id);
    return trades.length > 0 && trades.every(({ status }) => status === 'confirmed') && trades;
  });
}

/** Found by its folder, which no other sandbox has. */
function chainPid(chainId: number): number {
  const folder = `${one.sandbox.dataDir}/chain${chainId === FIRST ? '' : `-${chainId}`}`;
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  const line = lines.find((each) => each.includes(`--data-dir ${folder} `));
  if (line === undefined) throw new Error(`chain ${chainId} does not run`);
  return Number(line.trim().split(/\s+/)[0]);
}

describe('a sandbox with two chains', () => {
  it('tells of both, each with its own contracts and its own first markets', async () => {
    const { chains } = await one.client.read<{ chains: { chainId: number; marketFactory: string }[] }>(
      '/api/v1/config',
    );
    expect(chains.map(({ chainId }) => chainId)).toEqual([FIRST, SECOND]);
    expect(chains[0]!.marketFactory).not.toBe(chains[1]!.marketFactory);
    const listed = (query: string) =>
      one.client.read<{ markets: MarketBody[] }>(`/api/v1/markets?kind=standard${query}`);
    const seeded = await waitFor('the first markets are listed', async () => {
      const { markets } = await listed('');
      return markets.length >= 8 && markets;
    });
    for (const chainId of [FIRST, SECOND]) {
      const { markets } = await listed(`&chain_id=${chainId}`);
      const single = markets.filter(({ event }) => event === undefined);
      expect(single.map((market) => market.chainId)).toEqual([chainId, chainId, chainId, chainId]);
    }
    expect(new Set(seeded.map(({ id }) => id)).size).toBe(seeded.length);
    expect((await listed('&chain_id=1')).markets).toEqual([]);
  });

  it('trades and settles on both; lists, balances and statistics are filtered and summed', async () => {
    const before = await one.client.read<Statistics>('/api/v1/platform/stats');
    const markets = [await one.newMarket('Does the first settle?'), await two.newMarket('Does the second settle?')];
    expect(markets.map(({ chainId }) => chainId)).toEqual([FIRST, SECOND]);
    await trade(one, markets[0]!, '10');
    await trade(two, markets[1]!, '30');
    for (const [index, exchange] of [one, two].entries()) {
      const market = markets[index]!;
      const chainId = [FIRST, SECOND][index]!;
      const [settled] = await settledIn(exchange, market);
      const { reported, onChain } = await exchange.sharesBothWays(market, bob);
      expect(reported).toEqual(onChain);
      expect(reported.yes).toBe([10_000_000n, 30_000_000n][index]);
      const settlement = await exchange.client.read(`/api/v1/settlements/${settled!.txHash}`);
      expect(settlement).toMatchObject({ found: true, status: 'confirmed', marketId: market.id });
      const ofBob = `/api/v1/users/${bob.address}`;
      const { positions } = await one.client.read<{ positions: { marketId: string }[] }>(
        `${ofBob}/positions?chain_id=${chainId}`,
      );
      expect(positions.map(({ marketId }) => marketId)).toEqual([market.id]);
      const { activity } = await one.client.read<{ activity: { marketId: string }[] }>(
        `${ofBob}/activity?chain_id=${chainId}`,
      );
      expect(activity.map(({ marketId }) => marketId)).toEqual([market.id]);
      await one.client.post('/sandbox/fund', { address: bob.address, amount: `${chainId}`, chainId });
      const { balance } = await one.client.read<{ balance: string }>(`${ofBob}/balances?chain_id=${chainId}`);
      expect(BigInt(balance)).toBe(await exchange.chain.money(bob.address));
      expect(balance).toBe(`${chainId}`);
    }
    const after = await one.client.read<Statistics>('/api/v1/platform/stats');
    const tradesOn = (chainId: number, { chains }: Statistics) =>
      chains.find(({ chain_id }) => chain_id === chainId)?.total_trades ?? 0;
    expect(tradesOn(FIRST, after) - tradesOn(FIRST, before)).toBe(1);
    expect(tradesOn(SECOND, after) - tradesOn(SECOND, before)).toBe(1);
    expect(after.total_trades).toBe(tradesOn(FIRST, after) + tradesOn(SECOND, after));
    const second = await one.client.read<Statistics>(`/api/v1/platform/stats?chain_id=${SECOND}`);
    expect(second.chains.map(({ chain_id }) => chain_id)).toEqual([SECOND]);
    expect(second.total_trades).toBe(tradesOn(SECOND, after));
  });

  it('refuses an order for the market of one chain that was signed for the other, and names the mistake', async () => {
    const market = await two.newMarket('Is it signed for here?');
    const terms = { market: market.id, side: 'buy', price: '0.5', size: '1' } as const;
    const wrong = await one.client.placeOrder(alice, terms);
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_signature' } });
    expect((wrong.body as unknown as ErrorReply).details).toMatchObject({
      domain: { chainId: SECOND },
      mistake: `it was signed for chain ${FIRST}, its market is on ${SECOND}`,
    });
    expect((await two.client.placeOrder(alice, terms)).status).toBe(200);
    const open = await one.client.read<{ orders: OrderBody[] }>(
      `/api/v1/users/${alice.address}/orders?chain_id=${FIRST}`,
    );
    expect(open.orders).toEqual([]);
  });

  it('refuses sandbox and relayer requests for a chain that is not there', async () => {
    const fund = await one.client.post('/sandbox/fund', { address: bob.address, chainId: 5 });
    expect(fund).toMatchObject({ status: 400, body: { code: 'invalid_field', details: { field: 'chainId' } } });
    const empty = { balance: '0', allowance: '0', reserved: '0', available: '0' };
    expect(await one.client.read(`/api/v1/users/${bob.address}/balances?chain_id=5`)).toEqual(empty);
  });

  it('stops the orders of a trader on the chain where they halted, and on no other', async () => {
    halting.push(await one.newMarket('Does a halt hold?'), await two.newMarket('Does it hold here?'));
    const resting = await placeOnBoth(2);
    expect(resting.map(({ status }) => status)).toEqual([200, 200]);
    const wallet = await RelayedWallet.open(one, carol);
    await wallet.relayed('halt-trading', await wallet.halting('HaltTrading'));
    const [first, second] = resting.map(({ body }) => `/api/v1/orders/${body.orderHash}`);
    await waitFor('the order on the first is cancelled', async () => {
      return (await one.client.read<OrderBody>(first!)).status === 'cancelled';
    });
    expect((await one.client.read<OrderBody>(second!)).status).toBe('open');
    const [refused, accepted] = await placeOnBoth(1);
    expect(refused).toMatchObject({ status: 409, body: { code: 'trading_halted', details: { chainId: FIRST } } });
    expect(accepted!.status).toBe(200);
  });

  it('moves the clocks of both together', async () => {
    const moved = await one.client.post('/sandbox/time', { advanceSeconds: 3_600 });
    expect(moved).toMatchObject({ status: 200, body: { offsetSeconds: 3_600 } });
    const market = await two.newMarket('Is it later here, too?', 7_200);
    const { now } = await one.client.read<{ now: number }>('/api/v1/time');
    expect(Math.abs(market.createdAt - now)).toBeLessThan(120);
  });
});

describe('while one chain is down', () => {
  it('the service names it, the other settles, and it settles itself when it is back', async () => {
    const markets = [await one.newMarket('Is the first up?'), await two.newMarket('Is the second down?')];
    const down = await one.client.post('/sandbox/faults', { chain: 'down', chainId: SECOND });
    expect(down).toMatchObject({ status: 200, body: { chain: 'down' } });
    await trade(two, markets[1]!);
    await trade(one, markets[0]!);
    await settledIn(one, markets[0]!);
    expect(await two.trades(markets[1]!.id)).toMatchObject([{ status: 'pending', stage: 'matched' }]);
    await waitFor('it is noticed', async () => {
      const { degraded } = await one.client.read<{ degraded: string[] }>('/ready');
      return degraded.length > 0;
    });
    expect(await one.client.read('/ready')).toEqual({ status: 'ready', degraded: [`chain ${SECOND}`] });
    expect(await one.client.read('/api/v1/status')).toMatchObject({
      dependencies: { chain: { up: false } },
      settlementQueue: { waiting: 1 },
      chains: [
        { chainId: FIRST, up: true, settlementQueue: { waiting: 0 } },
        { chainId: SECOND, up: false, settlementQueue: { waiting: 1 } },
      ],
    });
    const metrics = await one.client.read<string>('/metrics');
    expect(metrics).toContain(`presage_settlement_waiting{chain="${FIRST}"} 0`);
    expect(metrics).toContain(`presage_settlement_waiting{chain="${SECOND}"} 1`);
    const balances = (chainId: number) => one.client.get(`/api/v1/users/${bob.address}/balances?chain_id=${chainId}`);
    expect((await balances(FIRST)).status).toBe(200);
    expect(await balances(SECOND)).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } });
    await one.client.post('/sandbox/faults', { chain: 'up', chainId: SECOND });
    await settledIn(two, markets[1]!);
    await waitFor('nothing is degraded', async () => {
      const { degraded } = await one.client.read<{ degraded: string[] }>('/ready');
      return degraded.length === 0;
    });
  });
});

let loads: RecordedLoad[] = [];
let markets: MarketBody[] = [];

async function fillsOf({ answer }: AnsweredOrder): Promise<bigint> {
  return BigInt((await one.client.read<OrderBody>(`/api/v1/orders/${answer.orderHash}`)).filledSize);
}

/** Buyers only buy YES and sellers only sell it, so shares follow from what each order says of itself. */
async function expectNothingLost(): Promise<void> {
  await one.settled();
  expect(await one.client.read('/api/v1/failed-trades')).toEqual({ failedTrades: [], count: 0 });
  for (const [index, exchange] of [one, two].entries()) {
    const [load, market] = [loads[index]!, markets[index]!];
    const shares = new Map<string, bigint>();
    for (const answered of load.answered) {
      const filled = await fillsOf(answered);
      expect(filled).toBeGreaterThanOrEqual(BigInt(answered.answer.filledSize));
      expect(await exchange.chain.filled(answered.submission.order)).toBe(filled);
      const { trader } = answered.submission.order;
      shares.set(trader, (shares.get(trader) ?? 0n) + filled);
    }
    for (const wallet of [...BUYERS, ...SELLERS]) {
      const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
      expect(reported).toEqual(onChain);
      expect(BUYERS.includes(wallet) ? reported.yes : reported.no).toBe(shares.get(wallet.address) ?? 0n);
    }
  }
}

describe(`under load, seed ${random.seed}`, () => {
  it('one chain is killed and comes back: nothing is lost on either, and the other settles meanwhile', async () => {
    loads = [new RecordedLoad(random, PAUSE_MS), new RecordedLoad(random, PAUSE_MS)];
    markets = [await one.newMarket('Is the first unharmed?'), await two.newMarket('Does the second survive?')];
    const unharmed = await one.newMarket('Does the first settle meanwhile?');
    const writing = [one, two].map((exchange, index) => loads[index]!.run(exchange.client, markets[index]!.id));
    try {
      await Promise.all(loads.map((load) => load.answers(ANSWERS)));
      // Down first, so that it is away for a while that does not depend on how fast its process comes back.
      await one.client.post('/sandbox/faults', { chain: 'down', chainId: SECOND });
      await trade(one, unharmed);
      process.kill(chainPid(SECOND), 'SIGKILL');
      await settledIn(one, unharmed);
      await Promise.all(loads.map((load) => load.answers(ANSWERS)));
    } finally {
      for (const load of loads) load.stop();
      await Promise.all(writing);
    }
    for (const load of loads) expect(load.answered.length).toBeGreaterThan(ANSWERS);
    await expectNothingLost();
  });

  it('everything is killed with kill -9: the next start, with one chain, goes on there, says what waits and refuses orders for it', async () => {
    const writing = [one, two].map((exchange, index) => loads[index]!.run(exchange.client, markets[index]!.id));
    await Promise.all(loads.map((load) => load.answers(ANSWERS)));
    await one.sandbox.killGroup();
    await Promise.all(writing);
    one = await one.reopen();
    expect(await one.sandbox.transcript()).toContain(`Chain ${SECOND} of an earlier start is not started`);
    const { chains } = await one.client.read<{ chains: { chainId: number }[] }>('/api/v1/config');
    expect(chains.map(({ chainId }) => chainId)).toEqual([FIRST]);
    const terms = { market: markets[1]!.id, side: 'buy', price: '0.5', size: '1' } as const;
    const refused = await two.client.at(one.sandbox.url).placeOrder(alice, terms);
    expect(refused).toMatchObject({ status: 404, body: { code: 'market_not_found' } });
    const alone = await one.newMarket('Does the first go on alone?');
    await trade(one, alone);
    await settledIn(one, alone);
  });

  it('the start after it, with two, goes on with both, and nothing is lost', async () => {
    await one.sandbox.stop();
    await reopen();
    for (const [index, exchange] of [one, two].entries()) await loads[index]!.resolveUnanswered(exchange.client);
    await expectNothingLost();
    const again = await two.newMarket('Does the second go on?');
    await trade(two, again);
    await settledIn(two, again);
  });

  it('who halted is still halted after it, and trades again when they resume', async () => {
    const [refused, accepted] = await placeOnBoth(1);
    expect(refused).toMatchObject({ status: 409, body: { code: 'trading_halted' } });
    expect(accepted!.status).toBe(200);
    const wallet = await RelayedWallet.open(one, carol);
    await wallet.relayed('resume-trading', await wallet.halting('ResumeTrading'));
    await waitFor('an order is accepted on the first', async () => (await placeOnBoth(1))[0]!.status === 200);
  });

  it('runs quick markets on each, with numbers of their own', async () => {
    interface Active {
      readonly active: boolean;
      readonly quickMarket: { readonly id: number; readonly marketId: string } | null;
    }
    const active = (query: string) => one.client.read<Active>(`/api/v1/quick-markets/BTC${query}`);
    const found = await waitFor('quick markets are active', async () => {
      const both = await Promise.all([active(''), active(`?chain_id=${SECOND}`)]);
      return both.every((each) => each.active) && both;
    });
    const [first, second] = found.map(({ quickMarket }) => quickMarket);
    expect(first!.id).not.toBe(second!.id);
    expect(await active(`?chain_id=${FIRST}`)).toMatchObject({ quickMarket: { id: first!.id } });
    expect(await active('?chain_id=1')).toMatchObject({ active: false });
  });

  it('the first, whose prices all use, may be killed, too', async () => {
    const killed = await one.newMarket('Does the first come back?');
    const other = await two.newMarket('Does the second go on?');
    process.kill(chainPid(FIRST), 'SIGKILL');
    await trade(two, other);
    await trade(one, killed);
    await settledIn(two, other);
    await settledIn(one, killed);
  });
});
