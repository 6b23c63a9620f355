import { encodeFrame } from '@presage/journal';
import { BUY, encodeRecord, SELL, toHex } from '@presage/protocol';
import { describe, expect, it } from 'vitest';
import { change, expectCaught, flipOne, honest, keep, shown, verify } from './lies.ts';
import { anchorOf, OTHER_KEY, receiptFor, START_MS, seal, signFrame } from './test-operator.ts';

describe('a journal that was changed afterwards', () => {
  const flip = (frames: readonly Uint8Array[], index: number): Uint8Array[] => {
    const changed = frames.map((bytes) => bytes.slice());
    changed[index]![120]! ^= 1;
    return changed;
  };

  it('a changed byte', () => expectCaught('frame_damaged', { frames: flip(shown.frames, 3) }));

  it('a missing frame', () => expectCaught('sequence_gap', { frames: shown.frames.filter((_, index) => index !== 4) }));

  it('a frame that was exchanged, with the old ones behind it', () => {
    const other = seal(change('order-accepted', { timeMs: START_MS + 21 }, 1));
    const frames = shown.frames.map((bytes, index) => (index === 2 ? other[2]! : bytes));
    return expectCaught('hash_chain_broken', { frames });
  });

  it('time that runs backwards', () => {
    const history = shown.history.map((push, index) => (index === 6 ? { ...push, timeMs: START_MS - 1 } : push));
    return expectCaught('frame_time_backwards', { history });
  });

  it('a record that nobody can read', () => {
    const frames = seal(shown.history.slice(0, 1));
    const head = signFrame(frames, 0);
    const header = {
      partition: 'm0',
      epoch: 1,
      firstSeq: 2,
      timeMs: START_MS,
      previousHash: Buffer.from(head.frameHash.slice(2), 'hex'),
    };
    frames.push(encodeFrame(header, [Buffer.from('{"v":3,"type":"secret"}')]).slice());
    return expectCaught('record_unreadable', { frames });
  });

  it('history rewritten with correct hashes, after somebody had verified it', async () => {
    const { point } = await verify();
    const history = shown.history.slice(0, -1);
    const last = shown.history.at(-1)!;
    await expectCaught(
      'history_rewritten',
      { history: [...history, { ...last, timeMs: last.timeMs + 1 }] },
      { previous: point },
    );
  });
});

describe('what the operator signs', () => {
  it('a head signed with another key', () =>
    expectCaught('head_forged', { head: signFrame(shown.frames, -1, OTHER_KEY) }));

  it('a head of another history than the one that is shown', () => {
    const last = shown.history.at(-1)!;
    const other = seal([...shown.history.slice(0, -1), { ...last, timeMs: last.timeMs + 1 }]);
    return expectCaught('head_differs', { head: signFrame(other, -1) });
  });

  it('records that are signed and not shown', () =>
    expectCaught('records_withheld', { history: shown.history.slice(0, -1), head: signFrame(shown.frames, -1) }));

  it('a partition that is kept from everybody but those who traded in it', () => {
    const hidden = seal(shown.history, 'm1');
    const { orderHash, receipt } = keep(honest.orders.alice);
    const index = shown.frames.findIndex((_, at) => signFrame(shown.frames, at).lastSeq === receipt.lastSeq);
    const kept = { ...signFrame(hidden, index, undefined, 'm1'), seq: receipt.seq };
    return expectCaught('receipt_unkept', {}, { receipts: [{ orderHash, receipt: kept }] });
  });

  it('a market with a book in each of two partitions', async () => {
    const others = { m1: seal(shown.history.slice(0, 1), 'm1') };
    await expectCaught('market_wrong', { others });
    const { violation } = await verify({ others: { m1: others.m1.map((bytes) => flipOne(bytes)) } });
    expect(violation).toMatchObject({ kind: 'frame_damaged', partition: 'm1' });
  });

  it('a forged receipt', () => {
    const { orderHash, receipt } = keep(honest.orders.alice);
    return expectCaught(
      'receipt_forged',
      {},
      { receipts: [{ orderHash, receipt: { ...receipt, timeMs: receipt.timeMs + 1 } }] },
    );
  });

  it('two histories for two readers', () => {
    const other = shown.history.map((push, index) => (index > 1 ? { ...push, timeMs: push.timeMs + 1 } : push));
    const receipt = receiptFor({ history: other, frames: seal(other) }, honest.orders.carol);
    return expectCaught('two_histories', {}, { receipts: [{ orderHash: honest.orders.carol.orderHash, receipt }] });
  });

  it('a receipt for a place where another order stands', () => {
    const { receipt } = keep(honest.orders.alice);
    return expectCaught('receipt_unkept', {}, { receipts: [{ orderHash: honest.orders.carol.orderHash, receipt }] });
  });

  it('an answer without a receipt for an order that never existed', async () => {
    const { alice, carol } = honest.orders;
    const known = await verify({}, { answered: [alice.orderHash, carol.orderHash.toUpperCase().replace('0X', '0x')] });
    expect(known.sound).toBe(true);
    return expectCaught('answer_unkept', {}, { answered: [alice.orderHash, `0x${'77'.repeat(32)}`] });
  });

  it('a receipt behind the end of the journal', () => {
    const receipts = [keep(honest.orders.resting)];
    return expectCaught(
      'receipt_unkept',
      { history: shown.history.slice(0, -1), bookHash: '0'.repeat(16) },
      { receipts },
    );
  });
});

describe('anchors', () => {
  it('history rewritten with correct hashes, after it was anchored', () => {
    const anchors = [anchorOf(shown.frames, 5)];
    const history = shown.history.map((push, index) => (index > 2 ? { ...push, timeMs: push.timeMs + 1 } : push));
    return expectCaught('anchor_differs', { history, anchors, anchored: anchors.map(({ hash }) => hash) });
  });

  it('an anchor that the operator does not show any more', () =>
    expectCaught('anchor_differs', { anchors: [], anchored: [anchorOf(shown.frames, 5).hash] }));

  it('an anchor that is shown with other heads than were anchored', () => {
    const [anchor, other] = [anchorOf(shown.frames, 5), anchorOf(shown.frames, 6)];
    return expectCaught('anchor_differs', { anchors: [{ ...anchor, heads: other.heads }], anchored: [anchor.hash] });
  });
});

describe('the chain and the books', () => {
  it('a book that is not the one of the journal', () => expectCaught('book_differs', { bookHash: '0123456789abcdef' }));

  it('a trade called settled that the chain does not have', () => expectCaught('settled_not_on_chain', { fills: [] }));

  it('a trade settled at another price', () =>
    expectCaught('settled_differs', { fills: shown.fills!.map((fill) => ({ ...fill, price: 1 })) }));

  it('a fee that the maker was charged', () =>
    expectCaught('settled_differs', {
      fills: shown.fills!.map((fill) => ({ ...fill, takerSide: fill.takerSide === BUY ? SELL : BUY })),
    }));

  it('rates that the contract did not fix', async () => {
    const { feeRateBps = 0, makerShareBps = 0 } = shown.rates!;
    await expectCaught('rates_differ', { rates: { feeRateBps: feeRateBps - 1, makerShareBps } });
    await expectCaught('rates_differ', { rates: { feeRateBps, makerShareBps: makerShareBps + 1 } });
    await expectCaught('rates_differ', { rates: {} });
  });

  it('something settled that was never matched', () => {
    const [fill] = shown.fills!;
    const extra = { ...fill!, buyHash: toHex(new Uint8Array(32).fill(3)), minted: 0 };
    return expectCaught('settled_not_in_journal', { fills: [...shown.fills!, extra] });
  });

  it('collateral that is gone', () => expectCaught('shares_unbacked', { collateralHeld: 4_999_999n }));

  it('a deposit that is gone', async () => {
    expect((await verify({ deposited: 5_000_000n })).sound).toBe(true);
    await expectCaught('deposits_unbacked', { deposited: 5_000_001n });
  });
});

it('encodes the records that it changes', () => {
  expect(() => shown.history.flatMap(({ records }) => records).map(encodeRecord)).not.toThrow();
});
