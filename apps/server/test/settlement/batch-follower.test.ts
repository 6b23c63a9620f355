// A batch that is followed to its end leaves nothing behind, whatever the engine has forgotten meanwhile.
import type { OperationView } from '@presage/chain';
import { fillCodes, presageSettlementAbi } from '@presage/contracts';
import type { MarketId, TradeStage } from '@presage/protocol';
import { concat, encodeEventTopics, padHex, toHex } from 'viem';
import { expect, it, vi } from 'vitest';
import type { TradeChange } from '../../src/host/host-commands.ts';
import { BatchFollower } from '../../src/settlement/batch-follower.ts';
import { createContext } from '../chain-context.ts';

const marketId = padHex('0x4d', { size: 32 }) as MarketId;
const trades = ['one', 'two', 'three'].map((tradeId) => ({ marketId, tradeId, attempt: 1 }));
const SUBMITTED: OperationView = {
  operationId: 'batch-1',
  stage: 'submitted',
  nonce: 7,
  hash: '0x01',
  hashes: ['0x01'],
  blockNumber: null,
  blockHash: null,
  reason: null,
  final: false,
};

const JOURNAL = {
  deceptions: { append: () => Promise.reject(new Error('nobody deceives')) },
  batches: { append: async () => undefined },
  confirm: async () => undefined,
};

it('says of each trade that the engine has forgotten that it is final, once', async () => {
  const context = createContext({
    reads: { trade: () => undefined },
    commands: { changeTrades: () => Promise.reject(new Error('there is nothing to change')) },
    rpc: { request: () => Promise.reject(new Error('nothing is asked')), batch: async () => [] },
  });
  const batch = new BatchFollower(
    context,
    { batchId: 'batch-1', trades },
    {
      behindUnmined: new Set(),
      journal: JOURNAL,
    },
  );
  const { final } = await batch.follow(SUBMITTED);
  expect([batch.isOpen, batch.isOver]).toEqual([false, false]);
  const after = await batch.follow({ ...SUBMITTED, stage: 'confirmed', final: true });
  expect(batch.isOver).toBe(true);
  expect([...final, ...after.final]).toEqual(['one', 'two', 'three']);
});

const BLOCK = { blockNumber: 9, blockHash: padHex('0x09', { size: 32 }) };

/** A block in which every fill failed by the fault of its buyer. */
function openFailing(stages: Readonly<Record<string, TradeStage>>) {
  const settlement = padHex('0x5e', { size: 20 });
  const [topic] = encodeEventTopics({ abi: presageSettlementAbi, eventName: 'FillFailed' });
  const logs = trades.map((_, index) => ({
    address: settlement,
    topics: [topic],
    data: concat([toHex(index, { size: 32 }), toHex(fillCodes.BUYER_CANCELLED, { size: 32 })]),
  }));
  const changes: unknown[] = [];
  const context = createContext({
    reads: {
      trade: (_: MarketId, tradeId: string) => ({
        tradeId,
        marketId,
        stage: stages[tradeId],
        buyer: tradeId,
        seller: tradeId,
      }),
    },
    commands: {
      changeTrades: async (wanted: readonly TradeChange[]) =>
        void changes.push(...wanted.map(({ trade, to }) => [trade.tradeId, typeof to === 'string' ? to : 'failed'])),
    },
    contracts: { settlement: { address: settlement } },
    rpc: { request: async () => ({ ...BLOCK, status: '0x1', gasUsed: '0x1', logs }), batch: async () => [] },
  });
  return { context, changes };
}

it('holds the wallets of a fill that waits for its judgement until its trade has left the batch', async () => {
  const { context } = openFailing({ one: 'mined', two: 'mined', three: 'mined' });
  const options = { behindUnmined: new Set<string>(), journal: JOURNAL };
  const batch = new BatchFollower(context, { batchId: 'batch-1', trades }, options);
  await batch.follow({ ...SUBMITTED, ...BLOCK, stage: 'mined' });
  expect([batch.unjudgedWallets(), batch.isQuiet]).toEqual([['one', 'one', 'two', 'two', 'three', 'three'], false]);
  // Earlier batches settled them after all.
  for (const tradeId of ['one', 'two']) batch.release(tradeId);
  expect([batch.unjudgedWallets(), batch.isQuiet]).toEqual([['three', 'three'], false]);
  batch.release('three');
  await batch.follow({ ...SUBMITTED, ...BLOCK, stage: 'confirmed' });
  expect([batch.unjudgedWallets(), batch.isQuiet]).toEqual([[], true]);
});

it('fails a fill by the moves that its trade may still make, and none if it has failed already', async () => {
  const { context, changes } = openFailing({ one: 'mined', two: 'failed', three: 'confirmed' });
  const options = { behindUnmined: new Set<string>(), journal: JOURNAL };
  const batch = new BatchFollower(context, { batchId: 'batch-1', trades }, options);
  await batch.follow({ ...SUBMITTED, ...BLOCK, stage: 'confirmed' });
  expect(changes).toEqual([
    ['one', 'failed'],
    ['three', 'retrying'],
    ['three', 'failed'],
  ]);
  expect([batch.isOpen, batch.isOver]).toEqual([false, false]);

  // One that may not fail yet goes back to those that wait to be sent.
  changes.length = 0;
  const stoppedReturns = { mustWait: ({ tradeId }: { tradeId: string }) => tradeId === 'one' };
  const stopped = new BatchFollower(context, { batchId: 'batch-1', trades }, { ...options, stoppedReturns });
  const { returned, final } = await stopped.follow({ ...SUBMITTED, ...BLOCK, stage: 'confirmed' });
  expect(changes[0]).toEqual(['one', 'retrying']);
  expect(returned.map(({ trade }) => trade.tradeId)).toEqual(['one']);
  expect(final).toEqual(['two', 'three']);
  expect(stopped.record.failed).toEqual([1, 2]);

  // So does one whose market is stopped while the failures are noted.
  changes.length = 0;
  let isStopped = false;
  const batches = {
    append: async () => {
      isStopped = true;
    },
  };
  const late = new BatchFollower(
    context,
    { batchId: 'batch-1', trades },
    {
      ...options,
      journal: { ...JOURNAL, batches },
      stoppedReturns: { mustWait: ({ tradeId }) => isStopped && tradeId === 'one' },
    },
  );
  const progress = await late.follow({ ...SUBMITTED, ...BLOCK, stage: 'confirmed' });
  expect(changes[0]).toEqual(['one', 'retrying']);
  expect(progress.returned.map(({ trade }) => trade.tradeId)).toEqual(['one']);
});

it('takes nothing back that another settler may have seen mined, and asks for nothing else', async () => {
  const confirm = vi.fn(() => Promise.reject(new Error('another settler has the chain')));
  const options = { behindUnmined: new Set<string>(), journal: { ...JOURNAL, confirm } };
  const ahead = openFailing({ one: 'confirmed', two: 'submitted', three: 'submitted' });
  const stale = new BatchFollower(ahead.context, { batchId: 'batch-1', trades }, options);
  await expect(stale.follow(SUBMITTED)).rejects.toThrow('another settler');
  expect(ahead.changes).toEqual([]);
  confirm.mockClear();
  const waiting = openFailing({ one: 'matched', two: 'matched', three: 'retrying' });
  const fresh = new BatchFollower(waiting.context, { batchId: 'batch-1', trades }, options);
  await fresh.follow(SUBMITTED);
  expect(waiting.changes).toEqual(trades.map(({ tradeId }) => [tradeId, 'submitted']));
  expect(confirm).not.toHaveBeenCalled();
});
