// No wallet pays more or gets less than the button said, however the book changes before the order arrives.
import { costOf, parseMillionths, takerFee, toPrice, toSize } from '@presage/protocol';
import type { BookEvent } from '@presage/sdk';
import { fromMillionths, isLongRun, seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ticket } from '../src/lib/ticket.ts';
import { marketLimit, readTicket, type TicketOrder } from '../src/ticket/ticket-order.ts';
import { mostPaid, sizeWithin } from '../src/ticket/worst-case.ts';
import { leastOf, readButton } from './button-figures.ts';

const seed = seedFromEnv(28);
const numRuns = isLongRun ? 300_000 : 10_000;

const price = fc.integer({ min: 1, max: 999_999 });
const size = fc.oneof(fc.integer({ min: 1, max: 2_000_000 }), fc.integer({ min: 1, max: 500_000_000 }));
const levels = fc.array(fc.record({ price, size }), { minLength: 1, maxLength: 6 });
const book = fc.tuple(levels, levels).map(
  ([asks, bids]): BookEvent => ({
    type: 'book',
    marketId: '0x',
    outcome: 'YES',
    seq: 1,
    hash: '',
    asks: asks.toSorted((a, b) => a.price - b.price),
    bids: bids.toSorted((a, b) => b.price - a.price),
  }),
);
const amount = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map((cents) => fromMillionths(cents * 10_000)),
  fc.integer({ min: 1, max: 900_000_000 }).map(fromMillionths),
);
const ticket = (side: Ticket['side']): fc.Arbitrary<Ticket> =>
  fc.record({
    side: fc.constant(side),
    outcome: fc.constant('YES' as const),
    isPicked: fc.constant(true),
    kind: fc.constantFrom('now' as const, 'limit' as const),
    slippage: fc.constantFrom('usual' as const, 'deep' as const),
    price: price.map((units) => fromMillionths(units * 100)),
    amount,
    unit: side === 'buy' ? fc.constantFrom('dollars' as const, 'shares' as const) : fc.constant('shares' as const),
    lifeSeconds: fc.constant(3_600),
    postOnly: fc.constant(false),
  });

/** What takers pay. */
const rate = fc.constantFrom(0, 1, 200, 700);

/** What meets the order when it arrives: each part's size, and how far from the limit its price is. Often a crowd of dust. */
const crowd = fc.oneof(
  fc.array(fc.record({ part: size, better: fc.nat(999_999) }), { maxLength: 8 }),
  fc.array(fc.record({ part: fc.integer({ min: 1, max: 3 }), better: fc.constant(0) }), { maxLength: 50 }),
  fc.tuple(size).map(([part]) => [{ part, better: 0 }]),
);

/** The worst that a crowd does: each part up to what is left of the order, at the limit or better for the trader. */
function meet(order: TicketOrder, parts: readonly { readonly part: number; readonly better: number }[], rate: number) {
  const signed = { price: Number(order.params.price), size: Number(order.params.size) };
  let [left, value, fee] = [signed.size, 0n, 0n];
  // The last one takes whatever is left, at the limit.
  for (const { part, better } of [...parts, { part: signed.size, better: 0 }]) {
    const filled = Math.min(part, left);
    if (filled === 0) break;
    const sign = order.params.side === 'buy' ? -1 : 1;
    const at = toPrice(Math.min(999_999, Math.max(1, signed.price + sign * better)));
    value += costOf(at, toSize(filled));
    fee += takerFee(rate, toSize(filled), at);
    left -= filled;
  }
  return { size: BigInt(signed.size - left), value, fee };
}

describe('a signed purchase', () => {
  it('never costs more than its button says, nor more than the dollars typed', () => {
    fc.assert(
      fc.property(ticket('buy'), book, crowd, rate, (typed, seen, parts, bps) => {
        const { order } = readTicket(typed, seen, 0n, bps);
        if (order === undefined) return;
        const met = meet(order, parts, bps);
        const value = met.value + met.fee;
        expect(value <= (readButton(order.button).dollars ?? -1n), `${order.button}, ${value}`).toBe(true);
        expect(value <= order.atMost).toBe(true);
        if (typed.unit === 'dollars') expect(value <= (parseMillionths(typed.amount) ?? 0n)).toBe(true);
        else expect(order.size <= (parseMillionths(typed.amount) ?? 0n)).toBe(true);
      }),
      { seed, numRuns },
    );
  });

  it('is for no more than is offered now where it is immediate', () => {
    fc.assert(
      fc.property(ticket('buy'), book, (typed, seen) => {
        const { order } = readTicket({ ...typed, kind: 'now' }, seen, 0n);
        if (order === undefined) return;
        const limit = Math.max(order.price, marketLimit('buy', seen) ?? 0);
        const offered = seen.asks.reduce((sum, ask) => sum + (ask.price <= limit ? BigInt(ask.size) : 0n), 0n);
        expect(order.size).toBe(order.wish < offered ? order.wish : offered);
        expect(order.fills.filled).toBe(order.size);
      }),
      { seed, numRuns },
    );
  });

  it('spends at least 94 % of the dollars typed at the prices now where enough is offered, at any price', () => {
    fc.assert(
      fc.property(price, fc.integer({ min: 100, max: 1_000_000 }), (best, cents) => {
        const deep: BookEvent = {
          type: 'book',
          marketId: '0x',
          outcome: 'YES',
          seq: 1,
          hash: '',
          asks: [{ price: best, size: Number.MAX_SAFE_INTEGER }],
          bids: [],
        };
        // Below a tenth of a cent a step of the price is more than 1 % of it.
        fc.pre(best >= 1_000);
        const typed = BigInt(cents) * 10_000n;
        const { order } = readTicket({ ...PURCHASE, amount: fromMillionths(typed) }, deep, 0n);
        expect(Number(order?.outcomes.pays ?? 0n)).toBeGreaterThanOrEqual(Number(typed) * 0.94);
        expect(readButton(order?.button ?? '').dollars).toBe(typed);
      }),
      { seed, numRuns },
    );
  });

  it('is as large as the dollars allow: one lot more could cost more', () => {
    fc.assert(
      // At most as many dollars as the largest order can cost at the lowest price.
      fc.property(fc.bigInt({ min: 1n, max: 9_000_000_000n }), price, rate, (dollars, limit, bps) => {
        const size = sizeWithin(dollars, limit, bps);
        if (size > 0n) expect(mostPaid(limit, size, bps) <= dollars).toBe(true);
        expect(mostPaid(limit, size + 10_000n, bps) > dollars - 3n).toBe(true);
      }),
      { seed, numRuns },
    );
  });
});

describe('a signed sale', () => {
  it('never sells more shares, nor one for less, nor pays more for pairs than its button says', () => {
    fc.assert(
      fc.property(
        ticket('sell'),
        book,
        crowd,
        fc.oneof(fc.constant(0), size),
        rate,
        (typed, seen, parts, held, bps) => {
          const { order } = readTicket(typed, seen, BigInt(held), bps);
          if (order === undefined) return;
          const said = readButton(order.button);
          const sold = meet(order, parts, bps);
          const label = `${order.button}, ${sold.size} for ${sold.value}`;
          expect(sold.size <= (said.shares ?? -1n), label).toBe(true);
          const missing = sold.size > BigInt(held) ? sold.size - BigInt(held) : 0n;
          if (missing > 0n) expect(missing - sold.value + sold.fee <= (said.dollars ?? -1n), label).toBe(true);
          else expect(sold.value >= leastOf(said, sold.size), label).toBe(true);
          if (missing === 0n) expect(sold.value - sold.fee >= order.atLeast, label).toBe(true);
        },
      ),
      { seed, numRuns },
    );
  });
});

const PURCHASE: Ticket = {
  side: 'buy',
  outcome: 'YES',
  isPicked: true,
  kind: 'now',
  slippage: 'usual',
  price: '',
  amount: '',
  unit: 'dollars',
  lifeSeconds: 3_600,
  postOnly: false,
};
