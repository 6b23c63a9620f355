// A dishonest operator is caught, whatever it does, and the result says what it did.
import { Engine } from '@presage/engine';
import { encodeFrame } from '@presage/journal';
import {
  BUY,
  encodeRecord,
  type Hex,
  type JournalRecord,
  markWalletSignature,
  type OrderAccepted,
  SELL,
  toHex,
  toPrice,
  toSize,
} from '@presage/protocol';
import { openSignerRecovery } from '@presage/protocol/signer';
import { TEST_MARKET } from '@presage/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type KeptReceipt,
  recoverHere,
  type VerifyOptions,
  type ViolationKind,
  verifyExchange,
} from '../../src/verify/index.ts';
import {
  anchorOf,
  isAcceptanceOf,
  OTHER_KEY,
  type Push,
  receiptFor,
  type Shown,
  START_MS,
  seal,
  serve,
  signFrame,
  TestOperator,
} from './test-operator.ts';

const recover = recoverHere(await openSignerRecovery());
type Placed = ReturnType<TestOperator['place']>;

/** Alice, then Carol bid the same; Dave bids more; Bob sells to Dave and to Alice. Then cancels, an expiry, a failure, an IOC. */
async function playHonestly() {
  const operator = await TestOperator.open();
  operator.list({ feeRateBps: 200, makerShareBps: 2_500 });
  const alice = operator.place('alice', 'buys', [500_000, 10_000_000]);
  const carol = operator.place('carol', 'buys', [500_000, 10_000_000]);
  const dave = operator.place('dave', 'buys', [550_000, 5_000_000]);
  const bob = operator.place('bob', 'sells', [500_000, 8_000_000]);
  const [first, second] = operator.engine.unsettledTrades(TEST_MARKET).map(({ tradeId }) => tradeId);
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
let honest: Played;
let shown: Shown;

beforeAll(async () => {
  honest = await playHonestly();
  shown = honest.operator.show();
});

async function verify(lie: Partial<Shown> = {}, options: Partial<VerifyOptions> = {}) {
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

async function expectCaught(kind: ViolationKind, lie: Partial<Shown>, options?: Partial<VerifyOptions>): Promise<void> {
  const result = await verify(lie, options);
  expect(result.violation?.kind, result.violation?.detail).toBe(kind);
  expect(result).toMatchObject({ sound: false, violation: { meaning: expect.stringMatching(/\w+ \w+/) } });
}

/** Every record by a rule: itself, others in its place, or none. */
function rewrite(change: (record: JournalRecord) => JournalRecord | readonly JournalRecord[]): Push[] {
  return shown.history.flatMap(({ records, timeMs }) => {
    const changed = records.flatMap((record) => change(record));
    return changed.length === 0 ? [] : [{ records: changed, timeMs }];
  });
}

function change<T extends JournalRecord['type']>(
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
function renumber(history: readonly Push[]): Push[] {
  let step = 0;
  return history.map(({ records, timeMs }) => {
    step++;
    return { timeMs, records: records.map((record) => ('step' in record ? { ...record, step } : record)) };
  });
}

function insertAt(index: number, push: Push): Push[] {
  return renumber([...shown.history.slice(0, index), push, ...shown.history.slice(index)]);
}

function indexOf(order: Placed): number {
  return shown.history.findIndex(({ records }) => records.some(isAcceptanceOf(order)));
}

function acceptanceOf(order: Placed): OrderAccepted {
  return shown.history.flatMap(({ records }) => records).find(isAcceptanceOf(order))!;
}

const keep = (order: Placed): KeptReceipt => ({ orderHash: order.orderHash, receipt: receiptFor(shown, order) });

function flipOne(bytes: Uint8Array): Uint8Array {
  const changed = bytes.slice();
  changed[120]! ^= 1;
  return changed;
}

describe('an honest exchange', () => {
  it('is sound, with everything counted', async () => {
    const { orders } = honest;
    const receipts = Object.values(orders).map(keep);
    const anchors = [anchorOf(shown.frames, 4), anchorOf(shown.frames, -1)];
    const result = await verify({ anchors, anchored: anchors.map(({ hash }) => hash) }, { receipts });
    expect(result.violation).toBeUndefined();
    expect(result).toMatchObject({
      sound: true,
      counts: { orders: 8, signatures: 8, trades: 4, receipts: 8, books: 1, anchors: 2 },
      chains: [{ chainId: 31_337, block: 16, tradesOnChain: 1, drifting: [] }],
      solvency: { totals: { markets: 1, yesShares: 5_000_000n, noShares: 5_000_000n, collateral: 5_000_000n } },
    });
  });

  it('is sound when it is verified again from where it was', async () => {
    const { point } = await verify();
    expect((await verify({}, { previous: point })).sound).toBe(true);
  });
});

describe('orders that are dropped, doubled, moved or made up', () => {
  it('an order left out', () =>
    expectCaught('step_gap', { history: rewrite((r) => (isAcceptanceOf(honest.orders.carol)(r) ? [] : r)) }));

  it('an order left out, and its steps renumbered', () =>
    expectCaught('trade_forged', {
      history: renumber(shown.history.filter((_, index) => index !== indexOf(honest.orders.alice))),
    }));

  it('an order left out, with a whole history made anew: its receipt tells', async () => {
    const other = await TestOperator.open();
    other.list();
    other.place('alice', 'buys', [500_000, 10_000_000]);
    const history = other.history;
    const { carol } = honest.orders;
    const fetchWith = serve({ history, frames: seal(history), fills: [] }, other.engine);
    const result = await verifyExchange({
      url: 'http://exchange',
      fetch: fetchWith,
      recover,
      receipts: [keep(carol)],
    });
    expect(result.violation?.kind).toBe('receipt_unkept');
  });

  it('an order taken twice', () => {
    const index = indexOf(honest.orders.carol);
    return expectCaught('order_doubled', { history: insertAt(index + 1, shown.history[index]!) });
  });

  it('two orders that changed places: the one that was first is passed over', () => {
    const { alice, carol } = honest.orders;
    const swap = (record: JournalRecord): JournalRecord => {
      const other = isAcceptanceOf(alice)(record) ? carol : isAcceptanceOf(carol)(record) ? alice : undefined;
      if (other === undefined) return record;
      const { step, timeMs } = record as OrderAccepted;
      return { ...acceptanceOf(other), step, timeMs };
    };
    return expectCaught('order_passed_over', { history: rewrite(swap) });
  });

  it('an order that is dated back', () =>
    expectCaught('backdated', { history: change('order-accepted', { timeMs: START_MS - 5_000 }, 2) }));

  it('an order whose price was changed', () => {
    const { order } = acceptanceOf(honest.orders.carol);
    const changed = { ...order, price: toPrice(490_000) };
    return expectCaught('order_changed', { history: change('order-accepted', { order: changed }, 1) });
  });

  it('an order whose price was changed, and its hash with it', () => {
    const order = { ...acceptanceOf(honest.orders.carol).order, price: toPrice(490_000) };
    const orderHash = honest.operator.hashOf(order);
    return expectCaught('order_unsigned', { history: change('order-accepted', { order, orderHash }, 1) });
  });

  it('an order that nobody signed', () => {
    const made = acceptanceOf(honest.orders.resting);
    const order = { ...made.order, nonce: 99n };
    const signature: Hex = `0x${'1f'.repeat(64)}1b`;
    const push = {
      records: [{ ...made, order, orderHash: honest.operator.hashOf(order), signature }],
      timeMs: made.timeMs,
    };
    return expectCaught('order_unsigned', { history: [...shown.history, ...renumberLast(push)] });
  });

  it('an order that nobody signed, of a wallet that is said to be a contract', () => {
    const made = acceptanceOf(honest.orders.resting);
    const order = { ...made.order, nonce: 99n };
    const signature = markWalletSignature(new Uint8Array(65));
    const record = { ...made, order, orderHash: honest.operator.hashOf(order), signature };
    const push = { records: [record], timeMs: made.timeMs };
    const bookHash = bookAfter([...shown.history, ...renumberLast(push)]);
    return expectCaught('order_unsigned', { history: [...shown.history, ...renumberLast(push)], bookHash });
  });

  it('an order that had expired when it was taken', () => {
    const { brief } = honest.orders;
    const last = shown.history.at(-1)!;
    const late = { ...acceptanceOf(brief), timeMs: last.timeMs };
    const history = shown.history.filter((_, index) => index !== indexOf(brief));
    const without = history.filter(
      ({ records }) =>
        !records.some((r) => r.type === 'order-cancelled' && r.reason === 'expired' && r.orderHash === brief.orderHash),
    );
    return expectCaught('order_late', { history: renumber([...without, { records: [late], timeMs: last.timeMs }]) });
  });

  it('an order that was taken after the market had closed', () => {
    const made = acceptanceOf(honest.orders.resting);
    const timeMs = shown.history.at(-1)!.timeMs;
    const step = honest.operator.engine.market(TEST_MARKET)!.step;
    const other = new Engine();
    for (const { records } of shown.history) for (const record of records) other.evolve(record as never);
    const closing = other.apply({ type: 'close-market', timeMs, marketId: TEST_MARKET, reason: 'vanished' });
    const history = [
      ...shown.history,
      { records: closing as readonly JournalRecord[], timeMs },
      { records: [{ ...made, timeMs, step: step + 2, ...signedAgain(made) }], timeMs },
    ];
    return expectCaught('order_late', { history });
  });
});

function bookAfter(history: readonly Push[]): string {
  const engine = new Engine();
  for (const { records } of history) for (const record of records) engine.evolve(record as never);
  return engine.bookHash(TEST_MARKET);
}

/** Another order of the same wallet, signed as it should be. */
function signedAgain(made: OrderAccepted) {
  const { order, orderHash, signature } = honest.operator.order('alice', 'buys', [made.order.price, made.order.size]);
  return { order, orderHash, signature };
}

function renumberLast({ records, timeMs }: Push): Push[] {
  const step = honest.operator.engine.market(TEST_MARKET)!.step + 1;
  return [{ timeMs, records: records.map((record) => ({ ...record, step }) as JournalRecord) }];
}

describe('trades that are made up or bent', () => {
  it('a better price for a friend', () =>
    expectCaught('trade_price_wrong', { history: change('trade-matched', { price: toPrice(510_000) }) }));

  it('a higher fee than the market has', () =>
    expectCaught('trade_fee_wrong', { history: change('trade-matched', { fee: 24_751 }) }));

  it('no fee for a friend', () =>
    expectCaught('trade_fee_wrong', {
      history: rewrite((record) => {
        if (record.type !== 'trade-matched') return record;
        const { fee: _fee, makerRebate: _makerRebate, ...free } = record;
        return free;
      }),
    }));

  it('another size than the orders allow', () =>
    expectCaught('trade_size_wrong', { history: change('trade-matched', { size: toSize(4_000_000) }) }));

  it('more than there was of an order', () =>
    expectCaught('trade_size_wrong', { history: change('trade-matched', { size: toSize(6_000_000) }) }));

  it('a later order filled before an earlier one at the same price', () => {
    const { carol } = honest.orders;
    const fields = { makerHash: carol.orderHash, maker: carol.order.trader };
    return expectCaught('order_passed_over', { history: change('trade-matched', fields, 1) });
  });

  it('a worse order filled before a better one', () => {
    const { alice } = honest.orders;
    const fields = { makerHash: alice.orderHash, maker: alice.order.trader, price: alice.order.price };
    return expectCaught('order_passed_over', { history: change('trade-matched', fields) });
  });

  it('a trade out of nothing', () => {
    const trade = shown.history.flatMap(({ records }) => records).find(({ type }) => type === 'trade-matched')!;
    const push = {
      records: [{ ...trade, timeMs: shown.history.at(-1)!.timeMs }],
      timeMs: shown.history.at(-1)!.timeMs,
    };
    return expectCaught('trade_size_wrong', { history: [...shown.history, ...renumberLast(push as Push)] });
  });

  it('a trade with an order that never was', () =>
    expectCaught('trade_forged', {
      history: change('trade-matched', { makerHash: toHex(new Uint8Array(32).fill(9)) }),
    }));

  it('a trade between orders that do not cross', () => {
    const { resting } = honest.orders;
    const index = shown.history.length - 1;
    const accepted = acceptanceOf(resting);
    const maker = honest.operator.engine.openOrders().find(({ signed }) => signed.orderHash !== resting.orderHash);
    const { carol } = honest.orders;
    const trade = {
      type: 'trade-matched',
      marketId: TEST_MARKET,
      step: accepted.step,
      timeMs: accepted.timeMs,
      tradeId: 'x',
      outcome: 0,
      price: 450_000,
      size: 1,
      takerSide: 0,
      makerHash: maker?.signed.orderHash ?? carol.orderHash,
      takerHash: resting.orderHash,
      maker: carol.order.trader,
      taker: resting.order.trader,
    } as unknown as JournalRecord;
    const last = shown.history[index]!;
    const history = [...shown.history.slice(0, -1), { ...last, records: [...last.records, trade] }];
    return expectCaught(maker === undefined ? 'trade_size_wrong' : 'trade_forged', { history });
  });

  it('a trade that was left out', () => {
    let met = 0;
    const history = rewrite((record) => (record.type === 'trade-matched' && met++ === 1 ? [] : record));
    return expectCaught('trade_missing', { history });
  });

  it('a cancelled order that was filled', () => {
    const { cancelled } = honest.orders;
    const fields = { makerHash: cancelled.orderHash, maker: cancelled.order.trader, size: toSize(1_000_000) };
    return expectCaught('filled_after_cancel', { history: change('trade-matched', fields, 2) });
  });

  it('an expired order that was filled', () => {
    const { brief } = honest.orders;
    const fields = { makerHash: brief.orderHash, maker: brief.order.trader, size: toSize(1_000_000) };
    return expectCaught('filled_after_expiry', { history: change('trade-matched', fields, 2) });
  });
});

describe('cancellations, repairs, markets and settlements against the rules', () => {
  it('a cancellation of an order that was not open', () =>
    expectCaught('cancel_wrong', { history: [...shown.history, ...renumberLast(cancelAgain())] }));

  it('a cancellation for a reason that only a rule may have', () =>
    expectCaught('cancel_wrong', { history: change('order-cancelled', { reason: 'settlement_fault' }) }));

  it('a cancellation of less than there was', () =>
    expectCaught('cancel_wrong', { history: change('order-cancelled', { remainingSize: 1 }) }));

  it('an immediate order that stayed on the book', () =>
    expectCaught('cancel_missing', {
      history: rewrite((record) =>
        record.type === 'order-cancelled' && record.reason === 'immediate_or_cancel' ? [] : record,
      ),
    }));

  it('an innocent order that did not get its size back', () =>
    expectCaught('repair_wrong', { history: rewrite((record) => (record.type === 'order-restored' ? [] : record)) }));

  it('a market closed before its time', () => {
    const { timeMs } = shown.history.at(-1)!;
    const closing = { type: 'market-closed', marketId: TEST_MARKET, step: 1, timeMs, reason: 'expired' } as const;
    return expectCaught('market_wrong', {
      history: [...shown.history, ...renumberLast({ records: [closing], timeMs })],
    });
  });

  it('a market that was never listed', () => expectCaught('market_wrong', { history: shown.history.slice(1) }));

  it('a trade that is confirmed without having been mined', () =>
    expectCaught('settlement_wrong', { history: change('trade-moved', { stage: 'confirmed' }, 1) }));
});

function cancelAgain(): Push {
  const push = shown.history.find(({ records }) => records[0]?.type === 'order-cancelled')!;
  const { timeMs } = shown.history.at(-1)!;
  return { timeMs, records: push.records.map((record) => ({ ...record, timeMs }) as JournalRecord) };
}

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
