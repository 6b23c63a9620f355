// A verification goes on where the last one ended, comes to the same as one from the start, and still notices a changed past.
import { openSignerRecovery } from '@presage/protocol/signer';
import { beforeAll, describe, expect, it } from 'vitest';
import { recoverHere, StateUnreadable, type VerifyOptions, verifyExchange } from '../../src/verify/index.ts';
import { receiptFor, type Shown, seal, serve, signFrame, TestOperator } from './test-operator.ts';

const recover = recoverHere(await openSignerRecovery());
let operator: TestOperator;
let early: Shown;
let late: Shown;
let state: string[];

function trade(rounds: number): void {
  for (let round = 0; round < rounds; round++) {
    const bid = operator.place('alice', 'buys', [400_000 + round, 10_000_000]);
    operator.place('bob', 'sells', [400_000, 4_000_000]);
    operator.settle(operator.engine.unsettledTrades()[0]!.tradeId, 4_000_000);
    if (round % 3 === 0) operator.cancel(bid);
  }
}

async function verify(shown: Shown, options: Partial<VerifyOptions> = {}) {
  const asked: number[] = [];
  const answer = serve(shown, operator.engine);
  const fetchWith: typeof fetch = (input, init) => {
    const from = new URL(String(input)).searchParams.get('fromSeq');
    if (from !== null) asked.push(Number(from));
    return answer(input, init);
  };
  const common = { url: 'http://exchange', rpcUrl: 'http://node', recover, retries: 0, chainWaitMs: 1 };
  const result = await verifyExchange({ ...common, fetch: fetchWith, ...options });
  return { ...result, asked };
}

beforeAll(async () => {
  operator = await TestOperator.open();
  operator.list();
  trade(8);
  early = { history: [...operator.history], frames: seal(operator.history), fills: [...operator.fills] };
  const first = await verify(early);
  expect(first.violation).toBeUndefined();
  state = [...first.saveState!()];
  trade(8);
  late = operator.show();
});

describe('a verification that goes on', () => {
  it('reads only what is new, and ends in the same state as one from the start', async () => {
    const [resumed, whole] = [await verify(late, { state }), await verify(late)];
    expect(resumed.sound).toBe(true);
    expect(resumed.resumedFrom).toBe(lastSeqOf(early));
    expect(Math.min(...resumed.asked)).toBe(resumed.resumedFrom);
    expect(resumed.counts).toEqual(whole.counts);
    expect(resumed.solvency).toEqual(whole.solvency);
    expect([...resumed.saveState!()]).toEqual([...whole.saveState!()]);
  });

  it('finds nothing to do when nothing happened', async () => {
    const again = await verify(early, { state, rpcUrl: undefined });
    expect(again).toMatchObject({ resumedFrom: lastSeqOf(early), point: { lastSeq: lastSeqOf(early) } });
    expect(again.counts.signatures).toBe(16);
  });

  it('checks receipts of what an earlier one has read', async () => {
    const push = early.history.find(({ records }) => records[0]?.type === 'order-accepted')!;
    const [order] = push.records;
    if (order?.type !== 'order-accepted') throw new Error('no order');
    const kept = { orderHash: order.orderHash, receipt: receiptFor(late, order) };
    expect(await verify(late, { state, receipts: [kept] })).toMatchObject({ sound: true, counts: { receipts: 1 } });
    const other = { ...kept, orderHash: `0x${'77'.repeat(32)}` };
    expect((await verify(late, { state, answered: [kept.orderHash] })).sound).toBe(true);
    expect((await verify(late, { state, answered: [other.orderHash] })).violation?.kind).toBe('answer_unkept');
    expect((await verify(late, { state, receipts: [other] })).violation?.kind).toBe('receipt_unkept');
  });

  it('takes records that the operator has deleted for missing, and keeps receipts of them', async () => {
    const deletedUntil = (frames: number) => ({ ...late, frames: late.frames.slice(frames) });
    const [order] = early.history.flatMap(({ records }) => records.filter(({ type }) => type === 'order-accepted'));
    if (order?.type !== 'order-accepted') throw new Error('no order');
    const kept = { orderHash: order.orderHash, receipt: receiptFor(late, order) };
    const resumed = await verify(deletedUntil(6), { state, receipts: [kept] });
    expect(resumed).toMatchObject({ sound: true, counts: { receipts: 1 } });
    const { violation } = await verify(deletedUntil(early.frames.length + 2), { state });
    expect(violation).toMatchObject({ kind: 'sequence_gap', seq: lastSeqOf(early) });
  });

  it('starts anew where signers are wanted that were left unchecked', async () => {
    const hasty = [...(await verify(early, { signatures: false })).saveState!()];
    const result = await verify(late, { state: hasty });
    expect(result.sound).toBe(true);
    expect(result.counts.signatures).toBe(result.counts.orders);
    expect(result.resumedFrom).toBeUndefined();
  });
});

describe('what is changed behind its back', () => {
  it('a record of the past, with correct hashes all the way', async () => {
    const history = late.history.map((push, index) => (index === 2 ? { ...push, timeMs: push.timeMs + 1 } : push));
    const { violation } = await verify({ ...late, history, frames: seal(history) }, { state });
    expect(violation).toMatchObject({ kind: 'history_rewritten', seq: lastSeqOf(early) });
  });

  it('the past given as it was, and a present that does not follow from it', async () => {
    const changed = late.history.map((push, index) => (index === 2 ? { ...push, timeMs: push.timeMs + 1 } : push));
    const frames = [...early.frames, ...seal(changed).slice(early.frames.length)];
    expect((await verify({ ...late, frames }, { state })).violation?.kind).toBe('hash_chain_broken');
  });

  it('the past as it is read once more for an order that is not in it', async () => {
    const missing = `0x${'77'.repeat(32)}` as const;
    const forged = early.history.map(({ records, timeMs }) => ({
      timeMs,
      records: records.map((each) => (each.type === 'order-accepted' ? { ...each, orderHash: missing } : each)),
    }));
    const lie = (change: (page: { nextSeq: number }) => object): typeof fetch => {
      const [truth, lies] = [late, { ...late, frames: seal(forged) }].map((each) => serve(each, operator.engine));
      return async (input, init) => {
        if (new URL(String(input)).searchParams.get('fromSeq') !== '1') return truth!(input, init);
        const page = await (await lies!(input, init)).json();
        return new Response(JSON.stringify(change(page as { nextSeq: number })));
      };
    };
    const judge = async (fetchWith: typeof fetch) =>
      (await verify(late, { state, answered: [missing], fetch: fetchWith })).violation?.kind;
    expect(await judge(lie((page) => page))).toBe('history_rewritten');
    // This list has no end.
    const [first] = late.frames;
    const bytes = Buffer.from(first!).toString('base64');
    expect(await judge(lie((page) => ({ ...page, frames: [{ bytes }], nextSeq: 1 })))).toBe('answer_unkept');
  });

  it('the end of the past, cut off', async () => {
    const frames = early.frames.slice(0, -3);
    const { violation } = await verify({ ...early, frames, head: signFrame(frames, -1) }, { state });
    expect(violation).toMatchObject({ kind: 'history_rewritten', detail: expect.stringContaining('gone') });
  });

  it('a trade after it that no rule allows', async () => {
    const at = late.history.findLastIndex(({ records }) => records.some(({ type }) => type === 'trade-matched'));
    const history = late.history.map((push, index) =>
      index === at
        ? { ...push, records: push.records.map((r) => (r.type === 'trade-matched' ? { ...r, size: r.size + 1 } : r)) }
        : push,
    );
    const lie = { ...late, history: history as Shown['history'], frames: seal(history as Shown['history']) };
    expect((await verify(lie, { state })).violation?.kind).toBe('trade_size_wrong');
  });
});

it('a state that was changed, cut or written by another version is refused', async () => {
  const changed = state.map((line) => line.replace('"confirmed"', '"mined"'));
  await expect(verify(late, { state: changed })).rejects.toThrow(StateUnreadable);
  await expect(verify(late, { state: state.slice(0, -2) })).rejects.toThrow(StateUnreadable);
  await expect(verify(late, { state: ['verification {"version":99}'] })).rejects.toThrow('another version');
});

function lastSeqOf({ history }: Shown): number {
  return history.reduce((count, { records }) => count + records.length, 0);
}
