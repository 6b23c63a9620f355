// Each read of the view answers what it says, edge by edge.
import { Engine } from '@presage/engine';
import {
  type Address,
  type EngineCommand,
  isJournalled,
  type JournalRecord,
  type TradeSettlement,
} from '@presage/protocol';
import { createOrderBuilders, listMarket, ManualClock, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PartitionLog } from '../../src/host/partition-log.ts';
import { listMarketFigures } from '../../src/projections/figures/figures-queries.ts';
import { listRevenue } from '../../src/projections/figures/revenue-queries.ts';
import { findMarket } from '../../src/projections/markets/market-queries.ts';
import { listOrderLife } from '../../src/projections/orders/order-life-queries.ts';
import { findOrder } from '../../src/projections/orders/order-queries.ts';
import { findPosition, listPositions } from '../../src/projections/positions/position-queries.ts';
import type { Projector } from '../../src/projections/projector.ts';
import { listSettlementFills } from '../../src/projections/trades/settlement-queries.ts';
import { listFailedTrades, listPendingTrades, listTrades } from '../../src/projections/trades/trade-queries.ts';
import { listHoldings } from '../../src/projections/users/holding-queries.ts';
import { listPnlPoints } from '../../src/projections/users/pnl-queries.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { ViewFixture } from './view-fixture.ts';

const DAY_MS = 86_400_000;
const OTHER_MARKET = `0x${'0e'.repeat(32)}` as const;
const tx = (byte: string) => `0x${byte.repeat(32)}` as const;

const fixture = new ViewFixture();
let sql: Sql;
let log: PartitionLog;
let projector: Projector;
let engine: Engine;
let clock: ManualClock;
let traders: ReturnType<typeof createOrderBuilders>;

beforeEach(async () => {
  sql = (await fixture.openStore()).sql;
  log = await fixture.openLog();
  projector = fixture.openProjector({ source: log, sql });
  engine = new Engine();
  clock = new ManualClock();
  traders = createOrderBuilders(clock);
  await projector.start();
  await play(listMarket(clock.nowMs));
});
afterEach(() => fixture.close());

async function note(records: readonly JournalRecord[]): Promise<void> {
  await log.append(records);
  expect(await projector.waitFor(log.lastSeq, 30_000)).toBe(true);
}

/** Answers the ids of the trades that came of it. */
async function play(command: EngineCommand): Promise<string[]> {
  const events = engine.apply({ ...command, timeMs: clock.nowMs }).filter(isJournalled);
  await note(events);
  return events.flatMap((event) => (event.type === 'trade-matched' ? [event.tradeId] : []));
}

async function trade(price = '0.5', size = '10'): Promise<string> {
  await play(traders.aliceBuysYes({ price, size }));
  return (await play(traders.bobSellsYes({ price, size })))[0]!;
}

type Moved = Extract<EngineCommand, { type: 'move-trade' }>['stage'];

async function move(tradeId: string, stage: Moved, settlement: Partial<TradeSettlement>): Promise<void> {
  const where = { transactionHash: tx('00'), batchIndex: 0, isBatch: true, attempt: 1, ...settlement };
  const command = { type: 'move-trade', marketId: TEST_MARKET, tradeId, stage, settlement: where } as const;
  await play({ ...command, timeMs: clock.nowMs });
}

/** Reads balances of Alice anew. */
async function sync(yesShares: string, blockNumber: number): Promise<void> {
  const found = { yesShares, noShares: '0', blockNumber };
  const who = { marketId: TEST_MARKET, userAddress: TRADERS.alice };
  await note([{ type: 'position-synced', timeMs: clock.nowMs, ...who, ...found }]);
}

async function fail(tradeId: string): Promise<void> {
  const blame = { faultParty: 'seller', reason: 'seller has not approved' } as const;
  await play({ type: 'fail-trade', marketId: TEST_MARKET, tradeId, ...blame, timeMs: clock.nowMs });
}

describe('orders', () => {
  it('are found by hash, whatever has become of them, and otherwise not', async () => {
    const placed = traders.aliceBuysYes({ price: '0.55', size: '10', nonce: 2n ** 64n - 1n });
    await play(placed);
    await play(traders.bobSellsYes({ price: '0.5', size: '4' }));
    const { orderHash } = placed;
    await play({ type: 'cancel-order', marketId: TEST_MARKET, orderHash, reason: 'user', timeMs: clock.nowMs });
    expect(await findOrder(sql, orderHash)).toMatchObject({
      orderHash,
      marketId: TEST_MARKET,
      trader: TRADERS.alice,
      nonce: 2n ** 64n - 1n,
      price: 550_000,
      size: 10_000_000,
      filledSize: 4_000_000,
      remainingSize: 6_000_000,
      status: 'cancelled',
      cancelReason: 'user',
    });
    expect(await findOrder(sql, tx('ff'))).toBeUndefined();
    expect(await listOrderLife(sql, tx('ff'))).toBeUndefined();
  });
});

describe('revenue', () => {
  const charging = { marketId: OTHER_MARKET, feeRateBps: 200, makerShareBps: 2_500 };
  const sold = async (price: string, size: string) => {
    await play(traders.aliceBuysYes({ marketId: OTHER_MARKET, price, size }));
    return (await play(traders.bobSellsYes({ marketId: OTHER_MARKET, price, size })))[0]!;
  };

  it('is what takers paid less what makers got, by day and market, without what failed or was free', async () => {
    const started = clock.nowMs;
    await play(listMarket(clock.nowMs, charging));
    await trade('0.5', '10');
    const first = await sold('0.5', '10');
    await sold('0.1', '3');
    const failed = await sold('0.4', '1');
    const where = { marketId: OTHER_MARKET, faultParty: 'seller', reason: 'no approval', timeMs: 0 } as const;
    await play({ type: 'fail-trade', tradeId: failed, ...where });
    clock.advanceMs(DAY_MS);
    await sold('0.5', '1');
    const settlement = { transactionHash: tx('01'), batchIndex: 0, isBatch: false, attempt: 1, blockNumber: 9 };
    for (const stage of ['submitted', 'mined'] as const) {
      await play({ type: 'move-trade', marketId: OTHER_MARKET, tradeId: first, stage, settlement, timeMs: 0 });
    }
    const day = Math.floor(started / DAY_MS);
    const all = { fromMs: 0, toMs: clock.nowMs + 1, limit: 10 };
    const [newer, older, ...rest] = await listRevenue(sql, all);
    expect(newer).toMatchObject({ day: day + 1, trades: 1, volume: 500_000n, fees: 5_000n, settled: 0n });
    expect(older).toMatchObject({
      day,
      marketId: OTHER_MARKET,
      trades: 2,
      volume: 5_300_000n,
      fees: 50_000n + 5_400n,
      makerRebates: 12_500n + 1_350n,
      settled: 37_500n,
    });
    expect(rest).toEqual([]);
    expect(await listRevenue(sql, { ...all, fromMs: started + 1 })).toEqual([newer]);
    expect(await listRevenue(sql, { ...all, limit: 1 })).toEqual([newer]);
    expect(await listTrades(sql, OTHER_MARKET, 5)).toMatchObject([
      { fee: 5_000, makerRebate: 1_250 },
      { fee: 5_400, makerRebate: 1_350 },
      { fee: 50_000, makerRebate: 12_500 },
    ]);
    expect(await listTrades(sql, TEST_MARKET, 5)).toMatchObject([{ fee: null, makerRebate: null }]);
  });
});

describe('trades', () => {
  it('of a market come newest first, without the failed, up to the limit', async () => {
    const ids = [await trade(), await trade(), await trade(), await trade()];
    await fail(ids[2]!);
    const listed = await listTrades(sql, TEST_MARKET, 2);
    expect(listed.map(({ tradeId }) => tradeId)).toEqual([ids[3], ids[1]]);
    expect(listed[0]).toMatchObject({ buyer: TRADERS.alice, seller: TRADERS.bob, maker: TRADERS.alice, takerSide: 1 });
    expect(await listTrades(sql, OTHER_MARKET, 100)).toEqual([]);
  });

  it('are pending until confirmed or failed, and again when a reorg takes them back', async () => {
    const pending = async () => (await listPendingTrades(sql, 10)).map(({ tradeId }) => tradeId);
    const [one, two] = [await trade(), await trade()];
    await move(one, 'submitted', {});
    await move(one, 'mined', { blockNumber: 9 });
    expect(await pending()).toEqual([one, two]);
    await move(one, 'confirmed', { blockNumber: 9 });
    await fail(two);
    expect(await pending()).toEqual([]);
    await move(one, 'retrying', {});
    expect(await pending()).toEqual([one]);
  });

  it('that failed are listed for a day and not a millisecond longer', async () => {
    const id = await trade();
    clock.advanceMs(5);
    await fail(id);
    const failedMs = clock.nowMs;
    const [failed] = await listFailedTrades(sql, failedMs + DAY_MS - 1, 10);
    expect(failed).toMatchObject({ tradeId: id, reason: 'seller has not approved', faultParty: 'seller', failedMs });
    expect(await listFailedTrades(sql, failedMs + DAY_MS, 10)).toEqual([]);
  });
});

describe('a settlement', () => {
  it('is found by every hash its trades were sent with, as they stand now', async () => {
    const [one, two] = [await trade(), await trade()];
    await move(one, 'submitted', { transactionHash: tx('01'), batchIndex: 0 });
    await move(two, 'submitted', { transactionHash: tx('01'), batchIndex: 1 });
    await move(one, 'mined', { transactionHash: tx('02'), batchIndex: 0, blockNumber: 5, minted: 10_000_000 });
    await move(two, 'retrying', { transactionHash: tx('01'), batchIndex: 1 });
    await move(two, 'submitted', { transactionHash: tx('03'), batchIndex: 7, attempt: 2 });
    const brief = async (hash: `0x${string}`) =>
      (await listSettlementFills(sql, hash)).map(({ trade: { tradeId, stage, txHash }, batchIndex, isCurrent }) => [
        ...[tradeId, stage, txHash, batchIndex, isCurrent],
      ]);
    expect(await brief(tx('01'))).toEqual([
      [one, 'mined', tx('02'), 0, false],
      [two, 'submitted', tx('03'), 1, false],
    ]);
    expect(await brief(tx('02'))).toEqual([[one, 'mined', tx('02'), 0, true]]);
    expect(await brief(tx('03'))).toEqual([[two, 'submitted', tx('03'), 7, true]]);
    expect(await brief(tx('09'))).toEqual([]);
  });
});

describe('positions', () => {
  it('include pending trades at once, and no longer a failed one', async () => {
    const id = await trade('0.6', '10');
    expect(await findPosition(sql, TRADERS.alice, TEST_MARKET)).toMatchObject({
      yesShares: 10_000_000n,
      noShares: 0n,
      yesCost: 6_000_000n,
      totalInvested: 6_000_000n,
      realizedPnl: 0n,
    });
    expect(await findPosition(sql, TRADERS.bob, TEST_MARKET)).toMatchObject({
      yesShares: 0n,
      noShares: 10_000_000n,
      noCost: 4_000_000n,
      totalInvested: 4_000_000n,
    });
    await fail(id);
    expect(await findPosition(sql, TRADERS.alice, TEST_MARKET)).toBeUndefined();
    expect(await findPosition(sql, TRADERS.bob, TEST_MARKET)).toBeUndefined();
  });

  it('of a wallet are listed by chain, only where something is held', async () => {
    await play(listMarket(clock.nowMs, { marketId: OTHER_MARKET, chainId: 10, question: 'Elsewhere?' }));
    await trade('0.5', '1');
    await play(traders.aliceBuysYes({ price: '0.5', size: '2', marketId: OTHER_MARKET }));
    await play(traders.bobSellsYes({ price: '0.5', size: '2', marketId: OTHER_MARKET }));
    const on = async (chainId: number) => (await listPositions(sql, TRADERS.alice, chainId)).map((row) => row.question);
    expect(await on(10)).toEqual(['Elsewhere?']);
    await play(traders.bobBuysYes({ price: '0.5', size: '2', marketId: OTHER_MARKET }));
    await play(traders.aliceSellsYes({ price: '0.5', size: '2', marketId: OTHER_MARKET }));
    expect(await on(10)).toEqual([]);
    expect(await on(31337)).toHaveLength(1);
    expect(await on(1)).toEqual([]);
  });

  it('take the balances on chain when synced, and keep what was not mined there', async () => {
    const [settled] = [await trade('0.5', '10'), await trade('0.5', '1')];
    await move(settled, 'submitted', {});
    await move(settled, 'mined', { blockNumber: 50 });
    const who = { marketId: TEST_MARKET, userAddress: TRADERS.alice };
    const found = { yesShares: '12000000', noShares: '3000000', blockNumber: 50 };
    await note([{ type: 'position-synced', timeMs: clock.nowMs, ...who, ...found }]);
    expect(await findPosition(sql, TRADERS.alice, TEST_MARKET)).toMatchObject({
      yesShares: 13_000_000n,
      yesCost: 5_500_000n,
      noShares: 3_000_000n,
      noCost: 0n,
      realizedPnl: 0n,
    });
  });

  it('count a trade once that the chain had mined before the service knew of it', async () => {
    const id = await trade('0.5', '10');
    await move(id, 'submitted', {});
    const who = { marketId: TEST_MARKET, userAddress: TRADERS.alice };
    const found = { yesShares: '10000000', noShares: '0', blockNumber: 50 };
    await note([{ type: 'position-synced', timeMs: clock.nowMs, ...who, ...found }]);
    await move(id, 'mined', { blockNumber: 50 });
    const once = { yesShares: 10_000_000n, yesCost: 5_000_000n };
    expect(await findPosition(sql, TRADERS.alice, TEST_MARKET)).toMatchObject(once);
    await move(id, 'retrying', {});
    expect(await findPosition(sql, TRADERS.alice, TEST_MARKET)).toMatchObject(once);
  });
});

describe('the profit of a wallet over time', () => {
  /** The newest past point, and what the present holdings say. */
  const compareAnHourLater = async (wallet: Address) => {
    clock.advanceSeconds(3_600);
    const { nowMs } = clock;
    const holdings = await listHoldings(sql, { wallet, chainId: undefined, bidsOf: () => [] });
    const points = await listPnlPoints(sql, { wallet, holdings, nowMs, sinceMs: nowMs - 60_000 });
    const realized = holdings.reduce((sum, { realizedPnl }) => sum + realizedPnl, 0n);
    const unrealized = holdings.reduce((sum, { pnl }) => sum + pnl, -realized);
    return { past: points.at(-1), present: { realized, unrealized } };
  };

  it('counts fees and rebates', async () => {
    const marketId = OTHER_MARKET;
    await play(listMarket(clock.nowMs, { marketId, feeRateBps: 200, makerShareBps: 2_500 }));
    await play(traders.aliceBuysYes({ marketId, price: '0.5', size: '10' }));
    await play(traders.bobSellsYes({ marketId, price: '0.5', size: '10' }));
    const maker = await compareAnHourLater(TRADERS.alice);
    expect(maker.present.realized).toBe(12_500n);
    expect(maker.past).toMatchObject(maker.present);
    const taker = await compareAnHourLater(TRADERS.bob);
    expect(taker.present.unrealized).toBe(-50_000n);
    expect(taker.past).toMatchObject(taker.present);
  });

  it('keeps fills that were not in the block whose balances were read', async () => {
    const [settled] = [await trade('0.5', '10'), await trade('0.4', '4')];
    await move(settled, 'submitted', {});
    await move(settled, 'mined', { blockNumber: 50 });
    await sync('10000000', 50);
    const { past, present } = await compareAnHourLater(TRADERS.alice);
    expect(present).toEqual({ realized: 0n, unrealized: -1_000_000n });
    expect(past).toMatchObject(present);
  });

  it('counts a move of shares once that the indexer delivers after balances which contain it', async () => {
    const settled = await trade('0.5', '10');
    await move(settled, 'submitted', {});
    await move(settled, 'mined', { blockNumber: 50 });
    await sync('13000000', 52);
    const place = { txHash: tx('0a'), logIndex: 1, blockNumber: 51, blockHash: tx('0b') };
    const timestamp = Math.floor(clock.nowMs / 1_000);
    const moved = { yesShares: '3000000', noShares: '0', cause: 'transfer', timestamp, ...place } as const;
    const who = { marketId: TEST_MARKET, userAddress: TRADERS.alice };
    await note([{ type: 'shares-moved', timeMs: clock.nowMs, ...who, ...moved }]);
    const { past, present } = await compareAnHourLater(TRADERS.alice);
    expect(present).toEqual({ realized: 0n, unrealized: 1_500_000n });
    expect(past).toMatchObject(present);
  });
});

describe('markets and their figures', () => {
  const figures = async (nowMs = clock.nowMs) => (await listMarketFigures(sql, nowMs, [TEST_MARKET])).get(TEST_MARKET);

  it('are found by id and by contract address', async () => {
    const { facts } = (await findMarket(sql, TEST_MARKET))!;
    expect(facts).toEqual(listMarket(0).market);
    expect((await findMarket(sql, facts.contractAddress))?.facts.marketId).toBe(TEST_MARKET);
    expect(await findMarket(sql, OTHER_MARKET)).toBeUndefined();
    await play({ type: 'close-market', marketId: TEST_MARKET, reason: 'vanished', timeMs: clock.nowMs });
    expect(await findMarket(sql, TEST_MARKET)).toMatchObject({ closedReason: 'vanished', closedMs: clock.nowMs });
  });

  it('count the last day to the millisecond', async () => {
    expect(await figures()).toBeUndefined();
    clock.advanceMs(12_345);
    await trade('0.5', '2');
    const firstMs = clock.nowMs;
    clock.advanceMs(20_000);
    await trade('0.25', '4');
    const both = {
      volume: 2_000_000n,
      volume24h: 2_000_000n,
      tradeCount: 2,
      lastPrice: 250_000,
      lastYesPrice: 250_000,
      dayAgoYesPrice: 500_000,
    };
    expect(await figures(firstMs + DAY_MS - 1)).toEqual(both);
    expect(await figures(firstMs + DAY_MS)).toEqual({ ...both, volume24h: 1_000_000n });
    expect(await figures(firstMs + 2 * DAY_MS)).toEqual({ ...both, volume24h: 0n, dayAgoYesPrice: 250_000 });
  });

  it('distinguish a YES from a NO trade, and go back to the trade before when the last one fails', async () => {
    await trade('0.4', '1');
    await play(traders.aliceBuysNo({ price: '0.3', size: '1' }));
    const [id] = await play(traders.bobSellsNo({ price: '0.3', size: '1' }));
    expect(await figures()).toMatchObject({ lastPrice: 300_000, lastYesPrice: 700_000, tradeCount: 2 });
    await fail(id!);
    expect(await figures()).toMatchObject({
      lastPrice: 400_000,
      lastYesPrice: 400_000,
      volume: 400_000n,
      tradeCount: 1,
    });
  });
});
