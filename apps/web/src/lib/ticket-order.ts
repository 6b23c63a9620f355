// From the ticket's fields to an exact order, its preview, and the button's text; or what is wrong with them.
import { costOf, type Price, parseMillionths, type Size } from '@presage/protocol/browser';
import { type BookEvent, formatAmount, type OrderParams, parsePrice, parseSize } from '@presage/sdk';
import { worthOf } from './book-view.ts';
import { cents, money, shares } from './format.ts';
import { type Fills, type Outcomes, outcomesOf, type Walk, walkBook } from './preview.ts';
import type { Ticket } from './ticket.ts';

export interface TicketOrder {
  readonly fills: Fills;
  readonly outcomes: Outcomes;
  readonly size: bigint;
  readonly price: number;
  /** What the service sets aside for it: all of it at its worst price. */
  readonly reserves: bigint;
  readonly params: Omit<OrderParams, 'marketId'>;
  /** `Buy 100 YES at 55.0¢`: the order's name in lists and messages. */
  readonly text: string;
  /** `Buy YES for $55.00`: what the button does. */
  readonly button: string;
}

export type TicketReading =
  | { readonly order: TicketOrder; readonly problem?: undefined }
  | { readonly order?: undefined; readonly problem: string };

/** An immediate order may pay this much more than the best price on the screen: half a cent, or 1 %. */
const SLIPPAGE = 5_000;
const SLIPPAGE_SHARE = 100;
const [LOWEST, HIGHEST] = [1, 999_999];
/** Sizes computed from dollars are rounded down to hundredths of a share. */
const LOT = 10_000n;

export function readTicket(ticket: Ticket, book: BookEvent | undefined, held: bigint): TicketReading {
  if (ticket.amount.trim() === '') return { problem: 'Enter an amount' };
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
  buy: 'Never at once, but at this price it would trade at once: bid less, or allow it to trade',
  sell: 'Never at once, but at this price it would trade at once: ask more, or allow it to trade',
};

/** How much worse than the best price on the screen an immediate order may trade. */
export function slackOf(best: number): number {
  return Math.max(SLIPPAGE, Math.ceil(best / SLIPPAGE_SHARE));
}

/** The worst price that an immediate order accepts; undefined when nobody is on the other side. */
export function marketLimit(side: Ticket['side'], book: BookEvent | undefined): number | undefined {
  const best = (side === 'buy' ? book?.asks : book?.bids)?.[0]?.price;
  if (best === undefined) return undefined;
  const slack = slackOf(best);
  return side === 'buy' ? Math.min(HIGHEST, best + slack) : Math.max(LOWEST, best - slack);
}

function atLimit({ price: text, unit }: Ticket, amount: bigint) {
  const price: number = parsePrice(`${text.trim()}c`);
  const size = unit === 'shares' ? amount : toLots((amount * 1_000_000n) / BigInt(price));
  return { price, size: checkSize(size) };
}

function atMarket({ side, unit }: Ticket, book: BookEvent | undefined, amount: bigint) {
  const price = marketLimit(side, book);
  if (price === undefined) throw new Problem(`Nobody ${side === 'buy' ? 'sells' : 'buys'} now: name your own price`);
  const size = unit === 'shares' ? amount : sharesFor(amount, side === 'buy' ? book?.asks : book?.bids, price);
  return { price, size: checkSize(size) };
}

/** What the dollars buy level by level, and beyond the last one at the limit. */
function sharesFor(dollars: bigint, levels: BookEvent['asks'] = [], limit: number): bigint {
  let [left, size] = [dollars, 0n];
  for (const level of levels) {
    const value = worthOf(level);
    if (value >= left) return toLots(size + (left * 1_000_000n) / BigInt(level.price));
    left -= value;
    size += BigInt(level.size);
  }
  return toLots(size + (left * 1_000_000n) / BigInt(limit));
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
  const outcomes = outcomesOf({ ...walk, size }, fills, held);
  return {
    fills,
    outcomes,
    size: walk.size,
    price: walk.price,
    reserves: side === 'buy' ? costOf(walk.price as Price, Number(walk.size) as Size) : outcomes.pays,
    params: {
      side,
      outcome,
      price: BigInt(walk.price),
      size: walk.size,
      // A wallet never trades with itself by mistake: its older order gives way.
      selfTradePrevention: 'cancel_resting',
      ...(kind === 'now' ? { timeInForce: 'IOC' as const, expiresIn: 300 } : { expiresIn: lifeSeconds, postOnly }),
    },
    text: `${verb} ${formatAmount(walk.size)} ${outcome} ${limit}`,
    button: buttonText(ticket, walk, fills, outcomes),
  };
}

function buttonText({ side, outcome, kind }: Ticket, walk: Walk, fills: Fills, outcomes: Outcomes): string {
  const at = cents(walk.price);
  if (side === 'buy') {
    if (kind === 'now') return `Buy ${outcome} for ${money(outcomes.pays)}`;
    return fills.filled === 0n
      ? `Offer ${money(outcomes.pays)} for ${outcome} at ${at}`
      : `Buy ${outcome} at ${at} or less for ${money(outcomes.pays)}`;
  }
  const size = kind === 'now' ? fills.filled : walk.size;
  // Shares that are not held are minted: that is a purchase of the other side, and says so.
  if (outcomes.pays > 0n) return `Pay ${money(outcomes.pays)} to sell ${shares(size)} ${outcome} you do not hold`;
  if (kind === 'now') return `Sell ${shares(size)} ${outcome} for ${money(outcomes.receives)}`;
  return fills.filled === 0n
    ? `Offer ${shares(size)} ${outcome} at ${at}`
    : `Sell ${shares(size)} ${outcome} at ${at} or more`;
}
