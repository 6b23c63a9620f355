// While the view catches up, a transaction is folded beside the one before it: what that one computes in the database counts all the same.
import { Engine } from '@presage/engine';
import { type EngineCommand, isJournalled, type JournalRecord } from '@presage/protocol';
import { createOrderBuilders, listMarket, ManualClock, TEST_MARKET } from '@presage/testkit';
import { afterEach, expect, it } from 'vitest';
import { NaiveView } from './naive-view.ts';
import { expectSamePositions } from './same-view.ts';
import { ViewFixture } from './view-fixture.ts';

const OTHERS = 1_000;
const fixture = new ViewFixture();
const clock = new ManualClock();
const traders = createOrderBuilders(clock);

afterEach(() => fixture.close());

it('a sale whose minted shares the chain reports right after a failure before it changed them', async () => {
  const { sql } = await fixture.openStore();
  const log = await fixture.openLog();
  const naive = new NaiveView();
  const engine = new Engine();
  const append = async (records: readonly JournalRecord[]) => {
    let seq = log.lastSeq;
    for (const record of records) naive.apply(++seq, record);
    await log.append(records);
  };
  const decide = (command: EngineCommand) => engine.apply({ ...command, timeMs: clock.nowMs }).filter(isJournalled);
  const match = async (...commands: EngineCommand[]) => {
    const records = commands.flatMap(decide);
    const matched = records.find((record) => record.type === 'trade-matched');
    if (matched?.type !== 'trade-matched') throw new Error('the two orders did not meet');
    await append(records);
    return { marketId: TEST_MARKET, tradeId: matched.tradeId, timeMs: clock.nowMs };
  };
  await append(decide(listMarket(clock.nowMs)));
  const at = (size: number) => ({ price: '0.5', size: String(size) });
  await match(traders.aliceBuysYes(at(1)), traders.bobSellsYes(at(1)));
  // It takes all that Alice has, so that the next sale mints, until it fails; on the chain that one has minted all the same.
  const taking = await match(traders.bobBuysYes(at(1)), traders.aliceSellsYes(at(1)));
  const sale = await match(traders.bobBuysYes(at(1)), traders.aliceSellsYes(at(1)));
  const place = { transactionHash: `0x${'01'.repeat(32)}`, batchIndex: 0, isBatch: false, attempt: 1 } as const;
  await append(decide({ type: 'move-trade', ...sale, stage: 'submitted', settlement: place }));
  // Much is written with the failure, so that the next transaction reads before this one is committed.
  const others = Array.from({ length: OTHERS }, () => decide(traders.bobBuysYes({ price: '0.1', size: '1' }))).flat();
  await append([...decide({ type: 'fail-trade', ...taking, faultParty: 'chain', reason: 'gone' }), ...others]);
  const mined = { ...place, blockNumber: 100, minted: 1_000_000 };
  await append(decide({ type: 'move-trade', ...sale, stage: 'mined', settlement: mined }));
  // The last transaction is not folded beside another.
  await append(decide(traders.bobBuysYes({ price: '0.1', size: '1' })));
  // Each frame is a transaction.
  const projector = fixture.openProjector({ source: log, sql, limits: { maxChunk: 1 } });
  await projector.start();
  expect(projector.cursor).toBe(log.lastSeq);
  await expectSamePositions(sql, naive, 'after catching up');
});
