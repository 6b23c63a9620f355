import type { JournalRecord, OrderAccepted } from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { TEST_MARKET } from '@presage/testkit';
import { beforeAll, expect } from 'vitest';
import {
  type KeptReceipt,
  recoverHere,
  type VerifyOptions,
  type ViolationKind,
  verifyExchange,
} from '../../src/verify/index.ts';
import { isAcceptanceOf, type Push, receiptFor, type Shown, seal, serve, TestOperator } from './test-operator.ts';

export const recover = recoverHere(await openSignerRecovery());
type Placed = ReturnType<TestOperator['place']>;

/** Alice, then Carol bid the same; Dave bids more; Bob sells to Dave and to Alice. Then cancels, an expiry, a failure, an IOC. */
async function playHonestly() {
  const operator = await TestOperator.open();
  operator.list({ feeRateBps: 200, makerShareBps: 2_500 });
  const alice = operator.place('alice', 'buys', [500_000, 10_000_000]);
  const carol = operator.place('carol', 'buys', [500_000, 10_000_000]);
  const dave = operator.place('dave', 'buys', [550_000, 5_000_000]);
  const bob = operator.place('bob', 'sells', [500_000, 8_000_000]);
  const [first, second] = operator.engine.unsettledTrades({ marketId: TEST_MARKET }).map(({ tradeId }) => tradeId);
  operator.settle(first!, 5_000_000);
  const cancelled = operator.place('dave', 'buys', [400_000, 3_000_000]);
  operator.cancel(cancelled);
  const brief = operator.place('carol', 'buys', [450_000, 2_000_000], { expiresInSeconds: 60 });
  operator.nowMs += 61_000;
  operator.run({ type: 'tick', timeMs: operator.nowMs });
  operator.nowMs += 10;
  operator.run({
    type: 'fail-trade',
    timeMs: operator.nowMs,
    marketId: TEST_MARKET,
    tradeId: second!,
    faultParty: 'seller',
    reason: 'the seller has nothing',
  });
  const taker = operator.place('bob', 'sells', [500_000, 30_000_000], { timeInForce: 'IOC' });
  const resting = operator.place('alice', 'buys', [300_000, 1_000_000]);
  return { operator, orders: { alice, carol, dave, bob, cancelled, brief, taker, resting } };
}

type Played = Awaited<ReturnType<typeof playHonestly>>;
export let honest: Played;
export let shown: Shown;

beforeAll(async () => {
  honest = await playHonestly();
  shown = honest.operator.show();
});

export async function verify(lie: Partial<Shown> = {}, options: Partial<VerifyOptions> = {}) {
  const history = lie.history ?? shown.history;
  const published = { ...shown, ...lie, history, frames: lie.frames ?? seal(history) };
  const fetchWith = serve(published, honest.operator.engine);
  return verifyExchange({
    url: 'http://exchange',
    rpcUrl: 'http://node',
    fetch: fetchWith,
    recover,
    retries: 0,
    chainWaitMs: 1,
    ...options,
  });
}

export async function expectCaught(
  kind: ViolationKind,
  lie: Partial<Shown>,
  options?: Partial<VerifyOptions>,
): Promise<void> {
  const result = await verify(lie, options);
  expect(result.violation?.kind, result.violation?.detail).toBe(kind);
  expect(result).toMatchObject({ sound: false, violation: { meaning: expect.stringMatching(/\w+ \w+/) } });
}

/** Every record by a rule: itself, others in its place, or none. */
export function rewrite(change: (record: JournalRecord) => JournalRecord | readonly JournalRecord[]): Push[] {
  return shown.history.flatMap(({ records, timeMs }) => {
    const changed = records.flatMap((record) => change(record));
    return changed.length === 0 ? [] : [{ records: changed, timeMs }];
  });
}

export function change<T extends JournalRecord['type']>(
  type: T,
  fields: Partial<Extract<JournalRecord, { type: T }>>,
  which = 0,
): Push[] {
  let met = 0;
  return rewrite((record) =>
    record.type === type && met++ === which ? ({ ...record, ...fields } as JournalRecord) : record,
  );
}

/** Pushes renumbered so that the market's steps have no gap: what a careful liar would do. */
export function renumber(history: readonly Push[]): Push[] {
  let step = 0;
  return history.map(({ records, timeMs }) => {
    step++;
    return { timeMs, records: records.map((record) => ('step' in record ? { ...record, step } : record)) };
  });
}

export function insertAt(index: number, push: Push): Push[] {
  return renumber([...shown.history.slice(0, index), push, ...shown.history.slice(index)]);
}

export function indexOf(order: Placed): number {
  return shown.history.findIndex(({ records }) => records.some(isAcceptanceOf(order)));
}

export function acceptanceOf(order: Placed): OrderAccepted {
  return shown.history.flatMap(({ records }) => records).find(isAcceptanceOf(order))!;
}

export const keep = (order: Placed): KeptReceipt => ({ orderHash: order.orderHash, receipt: receiptFor(shown, order) });

export function flipOne(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  changed[120]! ^= 1;
  return changed;
}
