// A position with a long past is computed anew from a keyframe only while nothing in it has become another.
import { Engine } from '@presage/engine';
import { type EngineCommand, isJournalled, type JournalRecord, type TradeStage } from '@presage/protocol';
import { createOrderBuilders, listMarket, ManualClock, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PartitionLog } from '../../src/host/partition-log.ts';
import type { Projector } from '../../src/projections/projector.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { NaiveView } from './naive-view.ts';
import { expectSamePositions } from './same-view.ts';
import { ViewFixture } from './view-fixture.ts';

const TRADES = 120;
const FIRST_BLOCK = 1_000;

const fixture = new ViewFixture();
let sql: Sql;
let log: PartitionLog;
let projector: Projector;
let engine: Engine;
let naive: NaiveView;
const clock = new ManualClock();
const traders = createOrderBuilders(clock);

beforeEach(async () => {
  sql = (await fixture.openStore()).sql;
  log = await fixture.openLog();
  projector = fixture.openProjector({ source: log, sql });
  engine = new Engine();
  naive = new NaiveView();
  await projector.start();
  await note(decide(listMarket(clock.nowMs)));
});
afterEach(() => fixture.close());

async function note(records: readonly JournalRecord[]): Promise<void> {
  let seq = log.lastSeq;
  for (const record of records) naive.apply(++seq, record);
  await log.append(records);
  expect(await projector.waitFor(log.lastSeq, 30_000)).toBe(true);
}

function decide(command: EngineCommand): JournalRecord[] {
  return engine.apply({ ...command, timeMs: clock.nowMs }).filter(isJournalled);
}

/** Prices that leave a rounding at every step, so that another order of things would show. */
function trade(n: number): { records: JournalRecord[]; tradeId: string } {
  const price = `0.${String(333_331 + n)}`;
  const isSale = n % 3 === 2;
  const size = isSale ? '1.7' : '1.000001';
  const [first, second] = isSale
    ? [traders.bobBuysYes({ price, size }), traders.aliceSellsYes({ price, size })]
    : [traders.aliceBuysYes({ price, size }), traders.bobSellsYes({ price, size })];
  const records = [...decide(first), ...decide(second)];
  const matched = records.find((record) => record.type === 'trade-matched');
  if (matched?.type !== 'trade-matched') throw new Error('the two orders did not meet');
  return { records, tradeId: matched.tradeId };
}

function move(
  tradeId: string,
  stage: Exclude<TradeStage, 'matched' | 'failed'>,
  blockNumber?: number,
): JournalRecord[] {
  const place = { transactionHash: `0x${'01'.repeat(32)}`, batchIndex: 0, isBatch: false, attempt: 1 } as const;
  const settlement = { ...place, ...(blockNumber !== undefined && { blockNumber }) };
  return decide({ type: 'move-trade', marketId: TEST_MARKET, tradeId, stage, settlement, timeMs: clock.nowMs });
}

function fail(tradeId: string): JournalRecord[] {
  const blame = { faultParty: 'chain', reason: 'gone' } as const;
  return decide({ type: 'fail-trade', marketId: TEST_MARKET, tradeId, ...blame, timeMs: clock.nowMs });
}

function sync(blockNumber: number): JournalRecord {
  const who = { marketId: TEST_MARKET, userAddress: TRADERS.alice };
  return { type: 'position-synced', timeMs: clock.nowMs, ...who, yesShares: '7000003', noShares: '11', blockNumber };
}

/** Trades confirmed one block apart; a failed one after them has the positions computed anew and a keyframe kept. */
async function playLongPast(): Promise<string[]> {
  const ids: string[] = [];
  const past: JournalRecord[] = [];
  for (let n = 0; n < TRADES; n++) {
    const { records, tradeId } = trade(n);
    const block = FIRST_BLOCK + n;
    const moves = [
      ...move(tradeId, 'submitted'),
      ...move(tradeId, 'mined', block),
      ...move(tradeId, 'confirmed', block),
    ];
    past.push(...records, ...moves);
    ids.push(tradeId);
  }
  await note(past);
  await playFailure();
  expect(await keyframes()).toHaveLength(2);
  return ids;
}

async function playFailure(): Promise<void> {
  const { records, tradeId } = trade(TRADES);
  await note([...records, ...fail(tradeId)]);
}

function keyframes() {
  return sql<{ seq: bigint }[]>`select seq from presage_view.position_keyframes`;
}

describe('a keyframe', () => {
  it('serves for failures and readings of the chain that come after it', async () => {
    await playLongPast();
    await playFailure();
    await expectSamePositions(sql, naive, 'after a failure');
    await note([sync(FIRST_BLOCK + TRADES)]);
    await expectSamePositions(sql, naive, 'after a sync');
    expect(await keyframes()).toHaveLength(2);
  });

  it('is given up when a trade in it leaves its block and then fails', async () => {
    const [first] = await playLongPast();
    await note(move(first!, 'retrying'));
    await expectSamePositions(sql, naive, 'after a reorg');
    expect(await keyframes()).toHaveLength(0);
    await note(fail(first!));
    await expectSamePositions(sql, naive, 'after the failure');
  });

  it('is passed over by a reading of the chain older than what it contains', async () => {
    await playLongPast();
    await note([sync(FIRST_BLOCK + 10)]);
    await expectSamePositions(sql, naive, 'after a sync');
    await playFailure();
    await expectSamePositions(sql, naive, 'after a failure');
  });
});
