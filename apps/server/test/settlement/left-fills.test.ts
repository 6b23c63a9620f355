// A fill whose trade failed or went on is followed on: a deep reorganization may settle it, and may take it back once more.
import type { OperationView } from '@presage/chain';
import { fillCodes, presageSettlementAbi } from '@presage/contracts';
import type { BatchRecord, JournalRecord, MarketId, TradeStage } from '@presage/protocol';
import { concat, encodeEventTopics, type Hex, padHex, toHex } from 'viem';
import { expect, it } from 'vitest';
import type { TradeChange } from '../../src/host/host-commands.ts';
import { BatchFollower } from '../../src/settlement/batch-follower.ts';
import { BatchesInFlight } from '../../src/settlement/batches-in-flight.ts';
import { LeftFills } from '../../src/settlement/left-fills.ts';
import { WaitingTrades } from '../../src/settlement/waiting-trades.ts';
import { createContext } from '../chain-context.ts';

const marketId = padHex('0x4d', { size: 32 }) as MarketId;
const settlement = padHex('0x5e', { size: 20 });
const tradeId = 'one';

/** A settler with one trade in `batch-1` and `batch-2`, and a chain that says what is put into its receipts. */
class Settler {
  stage: TradeStage | undefined = 'submitted';
  readonly #views = new Map<string, OperationView>();
  readonly #logs = new Map<string, unknown>();
  readonly noted: string[] = [];
  readonly batches: BatchRecord[] = [];
  readonly #batches = { append: async (batch: BatchRecord) => void this.batches.push(batch) };
  readonly moves: string[] = [];
  alarms = 0;
  readonly waiting = new WaitingTrades();
  readonly inFlight = new BatchesInFlight((batchId) => this.#views.get(batchId));
  readonly #context = createContext({
    reads: { trade: () => this.stage && { tradeId, marketId, stage: this.stage, buyer: 'buyer', seller: 'seller' } },
    commands: { changeTrades: async (changes: readonly TradeChange[]) => this.#moveAll(changes) },
    note: async (record: JournalRecord) => void this.noted.push('stage' in record ? record.stage : record.type),
    clock: { nowMs: () => 1 },
    contracts: { settlement: { address: settlement } },
    rpc: { request: async (_: string, [hash]: [string]) => this.#logs.get(hash), batch: async () => [] },
  });
  readonly left = new LeftFills(this.#context, {
    inFlight: this.inFlight,
    waiting: this.waiting,
    sender: { status: (batchId) => this.#views.get(batchId) },
    journal: { batches: this.#batches, confirm: async () => undefined },
    onRevived: () => void this.alarms++,
  });

  #moveAll(changes: readonly TradeChange[]): void {
    for (const { to } of changes) {
      this.moves.push(typeof to === 'string' ? to : 'failed');
      this.stage = typeof to === 'string' ? to : undefined;
    }
  }

  add(batchId: string, noted: Pick<BatchRecord, 'failed' | 'revived'> = {}): BatchFollower {
    const deceptions = { append: () => Promise.reject(new Error('nobody deceives')) };
    const record = { batchId, trades: [{ marketId, tradeId, attempt: 1 }], ...noted };
    const journal = { batches: this.#batches, deceptions, confirm: async () => undefined };
    const batch = new BatchFollower(this.#context, record, { behindUnmined: new Set(), journal });
    this.inFlight.add(batch);
    return batch;
  }

  /** The transaction of the batch is pending, or in a block that settled its fill or refused it with a code. */
  async follow(batch: BatchFollower, block: number | undefined, code = 0): Promise<void> {
    const { batchId } = batch.record;
    const hash = padHex(toHex(batchId), { size: 32 });
    const blockHash = block === undefined ? null : padHex(toHex(block), { size: 32 });
    const view: OperationView = {
      operationId: batchId,
      stage: block === undefined ? 'submitted' : 'confirmed',
      nonce: 1,
      hash,
      hashes: [hash],
      blockNumber: block ?? null,
      blockHash,
      reason: null,
      final: false,
    };
    this.#views.set(batchId, view);
    this.#logs.set(hash, { blockHash, status: '0x1', gasUsed: '0x1', logs: [toLog(code)] });
    this.left.reclaim(batch, view);
    const { returned } = await batch.follow(view);
    for (const { trade } of returned) this.waiting.add(trade);
  }
}

function toLog(code: number) {
  const words = (...numbers: number[]) => concat(numbers.map((number) => toHex(number, { size: 32 })));
  const topicOf = (eventName: 'FillsSettled' | 'FillFailed') =>
    encodeEventTopics({ abi: presageSettlementAbi, eventName })[0] as Hex;
  if (code !== 0) return { address: settlement, topics: [topicOf('FillFailed')], data: words(0, code) };
  return { address: settlement, topics: [topicOf('FillsSettled')], data: words(32, 3, 1, 2, 5) };
}

it('records that a failed trade is settled after all, once, and that it is not any more', async () => {
  const settler = new Settler();
  const batch = settler.add('batch-1');
  await settler.follow(batch, 5, fillCodes.BUYER_FUNDS);
  expect(settler.moves).toEqual(['failed']);
  await settler.left.review();
  expect([settler.noted, settler.alarms]).toEqual([[], 0]);
  await settler.follow(batch, undefined);
  await settler.follow(batch, 9);
  await settler.left.review();
  await settler.left.review();
  expect([settler.noted, settler.alarms]).toEqual([['confirmed'], 1]);
  expect(settler.batches.at(-1)).toMatchObject({ batchId: 'batch-1', revived: [0] });
  await settler.follow(batch, undefined);
  await settler.left.review();
  expect(settler.noted).toEqual(['confirmed', 'failed']);
  expect(settler.batches.at(-1)).not.toHaveProperty('revived');
});

it('takes back after a restart what an earlier run had recorded', async () => {
  const settler = new Settler();
  settler.stage = undefined;
  const batch = settler.add('batch-1', { failed: [0], revived: [0] });
  await settler.follow(batch, 9, fillCodes.BUYER_FUNDS);
  await settler.left.review();
  expect(settler.noted).toEqual(['failed']);
});

it('does not take a trade for failed that was confirmed so long ago that the engine has forgotten it', async () => {
  const settler = new Settler();
  settler.stage = undefined;
  const batch = settler.add('batch-1');
  await settler.follow(batch, 9);
  await settler.left.review();
  expect([settler.noted, settler.alarms]).toEqual([[], 0]);
});

it('notes before a trade fails in which batches it was', async () => {
  const settler = new Settler();
  const batch = settler.add('batch-1');
  await settler.follow(batch, 5, fillCodes.TOKEN_FAULT);
  await settler.left.noteFailing([tradeId]);
  settler.stage = undefined;
  expect(settler.batches).toMatchObject([{ batchId: 'batch-1', failed: [0] }]);
  await settler.follow(batch, 9);
  await settler.left.review();
  expect(settler.noted).toEqual(['confirmed']);
});

it('keeps a returned trade from being sent again while its first batch waits for another block', async () => {
  const settler = new Settler();
  const batch = settler.add('batch-1');
  await settler.follow(batch, 5, fillCodes.TOKEN_FAULT);
  expect(settler.waiting.has(tradeId)).toBe(true);
  await settler.follow(batch, undefined);
  expect([settler.waiting.has(tradeId), batch.isOpen]).toEqual([false, true]);
  await settler.follow(batch, 9);
  expect(settler.stage).toBe('confirmed');
});

it('gives a returned trade to the batch that has settled it, not to the later one that carries it', async () => {
  const settler = new Settler();
  const first = settler.add('batch-1');
  await settler.follow(first, 5, fillCodes.TOKEN_FAULT);
  settler.waiting.take(tradeId);
  const second = settler.add('batch-2');
  await settler.follow(second, undefined);
  await settler.follow(first, 9);
  expect(await settler.left.review()).toEqual([first]);
  expect([first.isOpen, second.isOpen]).toEqual([true, false]);
  await settler.follow(first, 9);
  expect(settler.stage).toBe('confirmed');
});

it('raises an alarm, once, where two batches have settled one trade', async () => {
  const settler = new Settler();
  const first = settler.add('batch-1');
  await settler.follow(first, 5, fillCodes.TOKEN_FAULT);
  settler.waiting.take(tradeId);
  const second = settler.add('batch-2');
  await settler.follow(second, 6);
  await settler.follow(first, 9);
  await settler.left.review();
  await settler.left.review();
  expect([settler.alarms, settler.noted]).toEqual([1, []]);
});
