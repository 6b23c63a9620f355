// Turns the ticket's fields into an exact order with its preview and the button's text, or into a problem to show.
import { type BookEvent, formatAmount, type OrderParams, parseSize } from '@presage/sdk';
import { cents, exactShares, moneyUp } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import { readNumber, readPrice } from '../lib/typed-number.ts';
import { type Fills, type Outcomes, outcomesOf, type Walk, walkBook } from './preview.ts';
import { leastReceived, mostPaid, mostPaidForPairs, sizeWithin } from './worst-case.ts';

/** Fields that the wallet signs, apart from the market. */
type SignedTerms = Omit<OrderParams, 'marketId' | 'price' | 'size'> & { readonly price: bigint; readonly size: bigint };

export interface TicketOrder {
  /** Fills if the book stays unchanged. */
  readonly fills: Fills;
  readonly outcomes: Outcomes;
  /** Signed size. For an immediate order only what the book offers now; the rest of the wish is not signed. */
  readonly size: bigint;
  readonly price: number;
  readonly wish: bigint;
  /** Most money that can leave the wallet, whatever happens to the book. */
  readonly atMost: bigint;
  /** Least money that a sale of held shares brings if all of it fills. */
  readonly atLeast: bigint;
  /** Sold shares that are not held and are therefore minted. */
  readonly missing: bigint;
  readonly params: SignedTerms;
  /** Text of the order in lists and messages: `Buy 100 YES at 55.0¢`. */
  readonly text: string;
  /** Text of the button: `Buy YES for $55.00`. States the worst case of a press, derived from the signed fields. */
  readonly button: string;
}

export type TicketReading =
  | { readonly order: TicketOrder; readonly problem?: undefined }
  | { readonly order?: undefined; readonly problem: string };

/** Slippage of half a cent. */
const SLIPPAGE = 5_000;
const [ONE_PERCENT, FIVE_PERCENT] = [100, 20];
const [LOWEST, HIGHEST] = [1, 999_999];

/** `held` counts only shares that no open order offers, since those may be sold before this order arrives. `rate` is the taker fee rate. */
export function readTicket(ticket: Ticket, book: BookEvent | undefined, held: bigint, rate = 0): TicketReading {
  if (ticket.amount.trim() === '') return { problem: 'Enter an amount' };
  const expected = `Enter how many ${ticket.unit}, above 0 and with at most 6 decimals`;
  const { units: amount, problem } = readNumber(ticket.amount, { unit: ticket.unit, expected });
  if (amount === undefined) return { problem };
  try {
    const { price, size } = wishOf(ticket, book, amount, rate);
    const order = describe(ticket, { side: ticket.side, price, size, rate }, book, held);
    if (ticket.kind === 'limit' && ticket.postOnly && order.fills.filled > 0n)
      throw new Problem(WOULD_CROSS[ticket.side]);
    return { order };
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message };
    throw error;
  }
}

class Problem extends Error {}

const WOULD_CROSS = {
  buy: 'Post-only, but at this price it would trade at once: bid less, or turn post-only off',
  sell: 'Post-only, but at this price it would trade at once: ask more, or turn post-only off',
};

/**
 * Slippage of an immediate order from the best price on the screen: 1 %, or half a cent if that is more, but never above 5 %. Dollars
 * are divided by the worst price, so half a cent on a share of one cent would leave a third unspent.
 */
export function slackOf(best: number): number {
  return Math.max(Math.ceil(best / ONE_PERCENT), Math.min(SLIPPAGE, Math.ceil(best / FIVE_PERCENT)));
}

/** Worst price that an immediate order accepts; undefined if the other side of the book is empty. */
export function marketLimit(side: Ticket['side'], book: BookEvent | undefined): number | undefined {
  const best = (side === 'buy' ? book?.asks : book?.bids)?.[0]?.price;
  if (best === undefined) return undefined;
  const slack = slackOf(best);
  return side === 'buy' ? Math.min(HIGHEST, best + slack) : Math.max(LOWEST, best - slack);
}

/** The price to sign, and the size wished for: for dollars, all shares that they pay for at that price. */
function wishOf(ticket: Ticket, book: BookEvent | undefined, amount: bigint, rate: number) {
  const sizeAt = (price: number) => (ticket.unit === 'shares' ? amount : sizeWithin(amount, price, rate));
  const price = ticket.kind === 'now' ? priceNow(ticket, book, sizeAt) : ownPrice(ticket);
  return { price, size: checkSize(sizeAt(price)) };
}

/** The size wished for at a price: dollars pay for fewer shares at a higher price. */
type SizeAt = (price: number) => bigint;

function priceNow({ side, slippage }: Ticket, book: BookEvent | undefined, sizeAt: SizeAt): number {
  const price = marketLimit(side, book);
  if (price === undefined) {
    throw new Problem(`There are no ${side === 'buy' ? 'asks' : 'bids'} now: place a limit order`);
  }
  const deep = slippage === 'deep' ? deepLimit(side, book, sizeAt) : price;
  return side === 'buy' ? Math.max(price, deep) : Math.min(price, deep);
}

/** Best price at which the book has the whole amount; its last price if it has less. */
function deepLimit(side: Ticket['side'], book: BookEvent | undefined, sizeAt: SizeAt): number {
  const levels = (side === 'buy' ? book?.asks : book?.bids) ?? [];
  let found = 0n;
  const enough = levels.find(({ price, size }) => {
    found += BigInt(size);
    return found >= sizeAt(price);
  });
  return (enough ?? levels.at(-1))?.price ?? 0;
}

function ownPrice({ price: text }: Ticket): number {
  const { price, problem } = readPrice(text);
  if (price === undefined) throw new Problem(problem);
  return price;
}

function checkSize(size: bigint): bigint {
  if (size <= 0n) throw new Problem('That is less than a hundredth of a share: enter more');
  try {
    return BigInt(parseSize(size));
  } catch {
    throw new Problem('That is more than one order can hold: enter less');
  }
}

function describe(ticket: Ticket, wish: Walk, book: BookEvent | undefined, held: bigint): TicketOrder {
  const { side, outcome, kind, lifeSeconds, postOnly } = ticket;
  const seen = walkBook(book, wish);
  // The unfilled part of an immediate order does not rest, so it is signed only for what fills now.
  const fills = kind === 'now' ? { ...seen, rests: 0n } : seen;
  const size = kind === 'now' ? seen.filled : wish.size;
  const limit =
    kind === 'now' ? `now, at ${side === 'buy' ? 'most' : 'least'} ${cents(wish.price)}` : `at ${cents(wish.price)}`;
  const missing = side === 'buy' || held >= size ? 0n : size - held;
  const { rate = 0 } = wish;
  const params: SignedTerms = {
    side,
    outcome,
    price: BigInt(wish.price),
    size,
    // Against self-trades: the wallet's older order is cancelled.
    selfTradePrevention: 'cancel_resting',
    ...(kind === 'now' ? { timeInForce: 'IOC' as const, expiresIn: 300 } : { expiresIn: lifeSeconds, postOnly }),
  };
  const atMost = side === 'buy' ? mostPaid(wish.price, size, rate) : mostPaidForPairs(wish.price, missing, rate);
  return {
    fills,
    outcomes: outcomesOf({ ...wish, size }, fills, held),
    size,
    price: wish.price,
    wish: wish.size,
    atMost,
    atLeast: side === 'buy' ? 0n : leastReceived(wish.price, size - missing, rate),
    missing,
    params,
    text: `${side === 'buy' ? 'Buy' : 'Sell'} ${formatAmount(size)} ${outcome} ${limit}`,
    button: buttonText(params, missing, atMost, fills.filled > 0n),
  };
}

/** Text from the signed terms and the market's fee alone; `fillsNow` only selects the verb. */
function buttonText(signed: SignedTerms, missing: bigint, atMost: bigint, fillsNow: boolean): string {
  const { side, outcome, price, size, timeInForce } = signed;
  const [at, most] = [cents(price), moneyUp(atMost)];
  if (side === 'buy') {
    if (timeInForce === 'IOC') return `Buy ${outcome} for ${most}`;
    return fillsNow ? `Buy ${outcome} at ${at} or less for ${most}` : `Bid ${at} for ${outcome}, at most ${most}`;
  }
  const count = exactShares(size);
  // Shares that are not held are minted, which is a purchase of the other side, so the text says so.
  if (missing > 0n) {
    const which = missing === size ? 'short' : `(${exactShares(missing)} short)`;
    return `Sell ${count} ${outcome} ${which} for at most ${most}`;
  }
  return fillsNow ? `Sell ${count} ${outcome} at ${at} or more` : `Ask ${at} for ${count} ${outcome}`;
}
