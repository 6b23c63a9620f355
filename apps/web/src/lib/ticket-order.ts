// From the ticket's fields to an exact order, its preview, and the button's text; or what is wrong with them.
import { parseMillionths } from '@presage/protocol/browser';
import { type BookEvent, formatAmount, type OrderParams, parsePrice, parseSize } from '@presage/sdk';
import { worthOf } from './book-view.ts';
import { cents } from './format.ts';
import { type Fills, type Outcomes, outcomesOf, type Walk, walkBook } from './preview.ts';
import type { Ticket } from './ticket.ts';

export interface TicketOrder {
  readonly fills: Fills;
  readonly outcomes: Outcomes;
  readonly size: bigint;
  readonly price: number;
  readonly params: Omit<OrderParams, 'marketId'>;
  /** `Buy 100 YES at 55.0¢`. */
  readonly text: string;
}

export type TicketReading =
  | { readonly order: TicketOrder; readonly problem?: undefined }
  | { readonly order?: undefined; readonly problem: string };

/** An immediate order may pay this much more than the price on the screen. */
const SLIPPAGE = 10_000;
const [LOWEST, HIGHEST] = [1, 999_999];
/** Sizes computed from dollars are rounded down to hundredths of a share. */
const LOT = 10_000n;

export function readTicket(ticket: Ticket, book: BookEvent | undefined, held: bigint): TicketReading {
  const amount = parseMillionths(ticket.amount.replaceAll(',', '').trim());
  if (amount === undefined || amount <= 0n) {
    return { problem: `Enter how many ${ticket.unit}, above 0 and with at most 6 decimals` };
  }
  try {
    const { price, size } = ticket.kind === 'now' ? atMarket(ticket, book, amount) : atLimit(ticket, amount);
    const order = describe(ticket, { side: ticket.side, price, size }, book, held);
    if (ticket.kind === 'limit' && ticket.postOnly && order.fills.filled > 0n)
      throw new Problem(WOULD_CROSS[ticket.side]);
    return { order };
  } catch (error) {
    return { problem: error instanceof Problem ? error.message : 'Enter a price from 0.0001 to 99.9999¢' };
  }
}

class Problem extends Error {}

const WOULD_CROSS = {
  buy: 'Post only, but at this price it would trade at once: bid less, or allow it to trade',
  sell: 'Post only, but at this price it would trade at once: ask more, or allow it to trade',
};

function atLimit({ price: text, unit }: Ticket, amount: bigint) {
  const price: number = parsePrice(`${text.trim()}c`);
  const size = unit === 'shares' ? amount : toLots((amount * 1_000_000n) / BigInt(price));
  return { price, size: checkSize(size) };
}

/** The worst price needed to fill all of it, plus the slippage. */
function atMarket({ side, unit }: Ticket, book: BookEvent | undefined, amount: bigint) {
  const anyPrice = side === 'buy' ? HIGHEST : LOWEST;
  const size = checkSize(unit === 'shares' ? amount : sharesFor(amount, side === 'buy' ? book?.asks : book?.bids));
  const { worstPrice } = walkBook(book, { side, price: anyPrice, size });
  if (worstPrice === 0) throw new Problem(`Nobody ${side === 'buy' ? 'sells' : 'buys'} now: place a limit order`);
  const price = side === 'buy' ? Math.min(HIGHEST, worstPrice + SLIPPAGE) : Math.max(LOWEST, worstPrice - SLIPPAGE);
  return { price, size };
}

function sharesFor(dollars: bigint, levels: BookEvent['asks'] = []): bigint {
  let [left, size] = [dollars, 0n];
  for (const level of levels) {
    const value = worthOf(level);
    if (value >= left) return toLots(size + (left * 1_000_000n) / BigInt(level.price));
    left -= value;
    size += BigInt(level.size);
  }
  return toLots(size);
}

function toLots(size: bigint): bigint {
  return size - (size % LOT);
}

function checkSize(size: bigint): bigint {
  if (size <= 0n) throw new Problem('That is less than a hundredth of a share: enter more');
  try {
    return BigInt(parseSize(size));
  } catch {
    throw new Problem('That is more than one order can hold: enter less');
  }
}

function describe(ticket: Ticket, walk: Walk, book: BookEvent | undefined, held: bigint): TicketOrder {
  const { side, outcome, kind, lifeSeconds, postOnly } = ticket;
  const seen = walkBook(book, walk);
  // The unfilled part of an immediate order does not rest.
  const fills = kind === 'now' ? { ...seen, rests: 0n } : seen;
  const size = kind === 'now' ? seen.filled : walk.size;
  const verb = side === 'buy' ? 'Buy' : 'Sell';
  const limit =
    kind === 'now' ? `now, at ${side === 'buy' ? 'most' : 'least'} ${cents(walk.price)}` : `at ${cents(walk.price)}`;
  return {
    fills,
    outcomes: outcomesOf({ ...walk, size }, fills, held),
    size: walk.size,
    price: walk.price,
    params: {
      side,
      outcome,
      price: BigInt(walk.price),
      size: walk.size,
      ...(kind === 'now' ? { timeInForce: 'IOC' as const, expiresIn: 300 } : { expiresIn: lifeSeconds, postOnly }),
    },
    text: `${verb} ${formatAmount(walk.size)} ${outcome} ${limit}`,
  };
}
