// Whether an order should be asked about once more before it is sent, and in which words.
import type { BookEvent } from '@presage/sdk';
import { topOf } from '../lib/book-view.ts';
import { cents, money } from '../lib/format.ts';
import type { Ticket } from '../lib/ticket.ts';
import type { TicketOrder } from './ticket-order.ts';

export interface Caution {
  readonly text: string;
  /** What the button says instead. */
  readonly button: string;
}

/** A limit this far through the best price is more often a mistake than intended. */
const THROUGH = 50_000;
const FAR_FROM_MIDDLE = 100_000;

export function cautionOf(
  { side, outcome, kind }: Ticket,
  { price, fills, outcomes }: TicketOrder,
  book: BookEvent | undefined,
  available: bigint | undefined,
): Caution | undefined {
  const { bid, ask, mid } = topOf(book);
  const sign = side === 'buy' ? 1 : -1;
  const best = side === 'buy' ? ask : bid;
  const button = `Yes, ${side} at ${cents(price)}`;
  if (kind === 'limit' && best !== undefined && (price - best) * sign >= THROUGH) {
    const text = `The best ${side === 'buy' ? 'offer' : 'bid'} for ${outcome} is ${cents(best)}. You named ${cents(price)}.`;
    return { text, button };
  }
  if (mid !== undefined && fills.worstPrice > 0 && (fills.worstPrice - mid) * sign > FAR_FROM_MIDDLE) {
    return { text: `The middle of the book is ${cents(mid)}, and this trades at ${cents(fills.worstPrice)}.`, button };
  }
  if (side === 'buy' && available !== undefined && available > 0n && outcomes.pays * 2n > available) {
    return { text: `This is more than half of your ${money(available)}.`, button };
  }
  return undefined;
}
