// When an order is asked about once more, how the chart spaces time, and what the chance of a live market is.
import type { BookEvent } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { liveChance } from '../src/lib/chance.ts';
import { historyOf, intervalFor, mergePoints, toLine } from '../src/lib/chance-line.ts';
import type { Ticket } from '../src/lib/ticket.ts';
import { cautionOf } from '../src/ticket/caution.ts';
import { readTicket } from '../src/ticket/ticket-order.ts';

const bookOf = (bid: number, ask: number): BookEvent => ({
  type: 'book',
  marketId: '0x',
  outcome: 'YES',
  seq: 1,
  hash: '',
  bids: bid === 0 ? [] : [{ price: bid, size: 100_000_000 }],
  asks: ask === 0 ? [] : [{ price: ask, size: 100_000_000 }],
});
const BOOK = bookOf(530_000, 550_000);
const TICKET: Ticket = {
  side: 'buy',
  outcome: 'YES',
  isPicked: true,
  kind: 'limit',
  slippage: 'usual',
  price: '55.0',
  amount: '10',
  unit: 'shares',
  lifeSeconds: 3_600,
  postOnly: false,
};

function caution(change: Partial<Ticket>, available = 1_000_000_000n, book = BOOK): string | undefined {
  const ticket = { ...TICKET, ...change };
  const { order } = readTicket(ticket, book, 100_000_000n);
  if (order === undefined) throw new Error('the ticket is no order');
  return cautionOf(ticket, order, book, available)?.button;
}

describe('an order', () => {
  it('is asked about more than 5 cents through the mid, on either side', () => {
    expect([caution({ price: '59' }), caution({ price: '59.1' })]).toEqual([
      undefined,
      'Yes, buy YES at 59.1¢ or less for $5.92',
    ]);
    expect([caution({ side: 'sell', price: '49' }), caution({ side: 'sell', price: '48.9' })]).toEqual([
      undefined,
      'Yes, sell 10 YES at 48.9¢ or more',
    ]);
  });

  it('is asked about more than a tenth through the mid, and below one cent', () => {
    const pennies = bookOf(90_000, 110_000);
    expect([caution({ price: '11' }, undefined, pennies), caution({ price: '11.1' }, undefined, pennies)]).toEqual([
      undefined,
      'Yes, buy YES at 11.1¢ or less for $1.12',
    ]);
    expect(caution({ price: '0.99' })).toBe('Yes, bid 0.99¢ for YES, at most $0.11');
  });

  it('is asked about when a sale can bring less than half of what the book pays', () => {
    const deep = { ...bookOf(0, 0), bids: [{ price: 50_000, size: 100_000_000 }] };
    expect(caution({ side: 'sell', price: '2.4' }, undefined, deep)).toBe('Yes, sell 10 YES at 2.4¢ or more');
  });

  it('is asked about when it takes more than half of the money', () => {
    expect(caution({}, 11_000_000n)).toBeUndefined();
    expect(caution({}, 10_000_000n)).toBe('Yes, buy YES at 55.0¢ or less for $5.51');
  });
});

describe('the chance of a live market', () => {
  it('is the middle of a close book, else the last trade, else nothing', () => {
    expect(liveChance({ YES: BOOK, NO: undefined }, 200_000)).toBe(540_000);
    expect(liveChance({ YES: bookOf(400_000, 550_000), NO: undefined }, 200_000)).toBe(200_000);
    expect(liveChance({ YES: bookOf(0, 0), NO: undefined }, 0)).toBeUndefined();
  });

  it('counts offers of NO at 1 less their price', () => {
    expect(liveChance({ YES: bookOf(0, 550_000), NO: bookOf(0, 470_000) }, 0)).toBe(540_000);
  });
});

describe('the line of a chart', () => {
  const HOUR = { name: '1H', seconds: 3_600, interval: '1m' } as const;
  const ALL = { name: 'All', seconds: undefined, interval: '1h' } as const;

  it('is spaced by time, however unevenly the trades came', () => {
    const known = [
      { time: 1_000, value: 1 },
      { time: 1_010, value: 2 },
      { time: 4_000, value: 3 },
    ];
    const points = toLine(known, HOUR, 4_500);
    const steps = new Set(points.slice(1).map(({ time }, index) => time - (points[index]?.time ?? 0)));
    expect([...steps]).toEqual([15]);
    expect(points.find(({ time }) => time === 990)?.value).toBeUndefined();
    expect(points.find(({ time }) => time === 2_505)?.value).toBe(2);
    expect(points.at(-1)?.value).toBe(3);
  });

  it('begins with the first trade, not with the candle that holds it', () => {
    const candles = [{ time: 3_600, close: 7 }];
    const trades = [
      { time: 5_000, value: 5 },
      { time: 6_000, value: 7 },
    ];
    const known = historyOf(candles, trades, '1h');
    expect(known).toEqual(trades);
    const points = toLine(known, ALL, 6_600);
    expect(points[0]?.time).toBeGreaterThanOrEqual(5_000);
    expect(points.every(({ value }) => value !== undefined)).toBe(true);
  });

  it('does not change its past when a trade comes or time passes', () => {
    const candles = [
      { time: 0, close: 2 },
      { time: 3_600, close: 4 },
    ];
    const before = historyOf(candles, [{ time: 7_300, value: 4 }], '1h');
    const after = historyOf(
      [...candles, { time: 7_200, close: 9 }],
      [
        { time: 7_300, value: 4 },
        { time: 7_400, value: 9 },
      ],
      '1h',
    );
    expect(before).toEqual([
      { time: 3_600, value: 2 },
      { time: 7_200, value: 4 },
      { time: 7_300, value: 4 },
    ]);
    expect(after).toEqual([...before, { time: 7_400, value: 9 }]);
    const seen = [{ time: 7_300, value: 6 }];
    expect(mergePoints(before, seen).slice(-2)).toEqual([{ time: 7_300, value: 4 }, ...seen]);
  });

  it('has candles as fine as the age of its market allows', () => {
    expect([600, 80_000, 200_000, 900_000].map((age) => intervalFor(ALL, age))).toEqual(['1m', '15m', '15m', '1h']);
    expect(intervalFor(HOUR, 900_000)).toBe('1m');
  });
});
