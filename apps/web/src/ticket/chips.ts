// The most that the ticket's buttons may fill in: all shares held, or all that the available money pays for.
import type { BookEvent } from '@presage/sdk';
import { formatAmount } from '@presage/sdk';
import type { Ticket } from '../lib/ticket.ts';
import { readPrice } from '../lib/typed-number.ts';
import { marketLimit } from './ticket-order.ts';
import { sizeWithin } from './worst-case.ts';

const CENT = 10_000n;

/** In the ticket's own unit. */
export function mostOf(ticket: Ticket, book: BookEvent | undefined, held: bigint, available: bigint): bigint {
  if (ticket.side === 'sell') return held;
  const limit = ticket.kind === 'now' ? marketLimit('buy', book) : readPrice(ticket.price).price;
  if (limit === undefined) return 0n;
  return ticket.unit === 'shares' ? sizeWithin(available, limit) : available - (available % CENT);
}

export function formatUnits(size: bigint): string {
  return formatAmount(size);
}
