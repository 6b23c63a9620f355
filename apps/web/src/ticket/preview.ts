// What an order would do now, from the book on the screen, by the same arithmetic as POST /orders/validate.
import type { BookEvent, BookLevel } from '@presage/sdk';
import { worthOf } from '../lib/book-view.ts';

export interface Fills {
  readonly filled: bigint;
  readonly rests: bigint;
  /** Cost of the part that fills now. */
  readonly cost: bigint;
  /** Millionths, rounded up; 0 when nothing fills. */
  readonly averagePrice: number;
  readonly worstPrice: number;
}

export interface Walk {
  readonly side: 'buy' | 'sell';
  /** The limit, in millionths. */
  readonly price: number;
  readonly size: bigint;
}

const ONE = 1_000_000n;

/** Level by level: within a level the service pays each resting order by itself, which can add a millionth an order. */
export function walkBook(book: BookEvent | undefined, { side, price, size }: Walk): Fills {
  const levels = (side === 'buy' ? book?.asks : book?.bids) ?? [];
  let [left, cost, worstPrice] = [size, 0n, 0];
  for (const level of levels) {
    if (left === 0n || !reaches(side, price, level)) break;
    const part = BigInt(level.size) < left ? BigInt(level.size) : left;
    cost += worthOf({ price: level.price, size: Number(part) });
    left -= part;
    worstPrice = level.price;
  }
  const filled = size - left;
  const averagePrice = filled === 0n ? 0 : Number((cost * ONE + filled - 1n) / filled);
  return { filled, rests: left, cost, averagePrice, worstPrice };
}

function reaches(side: Walk['side'], price: number, level: BookLevel): boolean {
  return side === 'buy' ? level.price <= price : level.price >= price;
}

export interface Outcomes {
  /** The most that leaves the wallet; 0 for a sale of shares held. */
  readonly pays: bigint;
  /** Received immediately for what fills, and at least this for what rests. */
  readonly receives: bigint;
  /** Profit if its outcome wins, and if it loses: payout less what was paid. */
  readonly ifWins: { readonly payout: bigint; readonly profit: bigint };
  readonly ifLoses: { readonly payout: bigint; readonly profit: bigint };
}

/**
 * The whole order at its price: the part that fills now at the price of the book, the rest at the limit. Shares sold that
 * are not held are minted: their seller pays for the pair, keeps the other side, and gets the proceeds.
 */
export function outcomesOf({ side, price, size }: Walk, fills: Fills, held: bigint): Outcomes {
  const value = fills.cost + (fills.rests === 0n ? 0n : worthOf({ price, size: Number(fills.rests) }));
  if (side === 'buy') {
    const ifWins = { payout: size, profit: size - value };
    return { pays: value, receives: 0n, ifWins, ifLoses: { payout: 0n, profit: -value } };
  }
  const sold = held < size ? held : size;
  const minted = size - sold;
  const proceeds = size === 0n ? 0n : (value * sold) / size;
  const pays = minted - (value - proceeds);
  return {
    pays,
    receives: proceeds,
    ifWins: { payout: 0n, profit: proceeds - pays },
    ifLoses: { payout: minted, profit: proceeds + minted - pays },
  };
}
