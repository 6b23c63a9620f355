// A dishonest operator is caught, whatever it does, and the result says what it did.
import { Engine } from '@presage/engine';
import {
  type Hex,
  type JournalRecord,
  markWalletSignature,
  type OrderAccepted,
  toHex,
  toPrice,
  toSize,
} from '@presage/protocol';
import { TEST_MARKET } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { verifyExchange } from '../../src/verify/index.ts';
import {
  acceptanceOf,
  change,
  expectCaught,
  honest,
  indexOf,
  insertAt,
  keep,
  recover,
  renumber,
  rewrite,
  shown,
  verify,
} from './lies.ts';
import { anchorOf, isAcceptanceOf, type Push, START_MS, seal, serve, TestOperator } from './test-operator.ts';

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

  it('is sound when a head is anchored right after the list of anchors was read', async () => {
    const [listed, mined] = [anchorOf(shown.frames, 4), anchorOf(shown.frames, -1)];
    const before = serve({ ...shown, anchors: [listed], anchored: [listed.hash] }, honest.operator.engine);
    const after = serve({ ...shown, anchored: [listed.hash, mined.hash] }, honest.operator.engine);
    let isMined = false;
    const fetchWith: typeof fetch = (input, init) => {
      const body = String(init?.body);
      if (isMined && body.includes('eth_blockNumber')) return Promise.resolve(new Response('{"result":"0x11"}'));
      if (String(input).includes('/journal/anchors')) isMined = true;
      return (body.includes('"toBlock":"0x11"') ? after : before)(input, init);
    };
    const result = await verify({}, { fetch: fetchWith });
    expect(result.violation).toBeUndefined();
    expect(result.counts.anchors).toBe(1);
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
