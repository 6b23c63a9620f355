// Previews an order against the book on the screen, with the same arithmetic as POST /orders/validate.
import { BUY, SELL, type Size } from '@presage/protocol/browser';
import { type BookEvent, type QuoteTerms, quoteBook } from '@presage/sdk';
import { worthOf } from '../lib/book-view.ts';

export interface Fills {
  readonly filled: bigint;
  readonly rests: bigint;
  /** Cost of the part that fills now. */
  readonly cost: bigint;
  /** Taker fee, in addition to the cost. */
  readonly fee: bigint;
  /** Average price in millionths, rounded up; 0 if nothing fills. */
  readonly averagePrice: number;
  readonly worstPrice: number;
}

export interface Walk {
  readonly side: 'buy' | 'sell';
  /** Limit price in millionths. */
  readonly price: number;
  readonly size: bigint;
  /** Taker fee rate of the market; 0 by default. */
  readonly rate?: number;
}

const EMPTY = { asks: [], bids: [] };

/** The fills of an order, whose size `parseSize` must have checked. */
export function walkBook(book: BookEvent | undefined, { side, price, size, rate = 0 }: Walk): Fills {
  const terms: QuoteTerms = { side: side === 'buy' ? BUY : SELL, size: Number(size) as Size, limit: price };
  const { filledSize: filled, cost, fee, averagePrice, worstPrice } = quoteBook(book ?? EMPTY, rate, terms);
  return { filled, rests: size - filled, cost, fee, averagePrice, worstPrice };
}

export interface Outcomes {
  /** The most that leaves the wallet; 0 for a sale of shares held. */
  readonly pays: bigint;
  /** Money received: immediately for the part that fills, at least this much for the part that rests. */
  readonly receives: bigint;
  /** Payout if the order's outcome wins, and profit: the payout less what was paid. */
  readonly ifWins: { readonly payout: bigint; readonly profit: bigint };
  readonly ifLoses: { readonly payout: bigint; readonly profit: bigint };
}

/**
 * Values the whole order: the part that fills now at the book's prices, the rest at the limit. Sold shares that are not held are
 * minted: the seller pays for the pair, keeps the other side and gets the proceeds. Only the part that fills now pays the fee.
 */
export function outcomesOf({ side, price, size }: Walk, fills: Fills, held: bigint): Outcomes {
  const value = fills.cost + (fills.rests === 0n ? 0n : worthOf({ price, size: Number(fills.rests) }));
  if (side === 'buy') {
    const pays = value + fills.fee;
    const ifWins = { payout: size, profit: size - pays };
    return { pays, receives: 0n, ifWins, ifLoses: { payout: 0n, profit: -pays } };
  }
  const sold = held < size ? held : size;
  const minted = size - sold;
  const net = value - fills.fee;
  const proceeds = size === 0n ? 0n : (net * sold) / size;
  const pays = minted - (net - proceeds);
  return {
    pays,
    receives: proceeds,
    ifWins: { payout: 0n, profit: proceeds - pays },
    ifLoses: { payout: minted, profit: proceeds + minted - pays },
  };
}
