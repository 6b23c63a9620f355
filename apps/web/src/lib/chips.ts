// The most that the ticket's buttons may fill in: all shares held, or all that the available money pays for.
import type { BookEvent } from '@presage/sdk';
import { formatAmount, parsePrice } from '@presage/sdk';
import type { Ticket } from './ticket.ts';
import { marketLimit } from './ticket-order.ts';

/** Headroom for the rounding of fills, one unit each. */
const SLACK = 1_000n;
const LOT = 10_000n;
const CENT = 10_000n;

/** In the ticket's own unit. */
export function mostOf(ticket: Ticket, book: BookEvent | undefined, held: bigint, available: bigint): bigint {
  if (ticket.side === 'sell') return held;
  const free = available > SLACK ? available - SLACK : 0n;
  const limit = ticket.kind === 'now' ? marketLimit('buy', book) : priceOf(ticket.price);
  if (limit === undefined) return 0n;
  if (ticket.unit === 'shares') return floorTo((free * 1_000_000n) / BigInt(limit), LOT);
  // Money is set aside at the limit, so an immediate order leaves the allowance above the best price free.
  const best = BigInt((ticket.kind === 'now' ? book?.asks[0]?.price : undefined) ?? limit);
  return floorTo((free * best) / BigInt(limit), CENT);
}

function floorTo(value: bigint, unit: bigint): bigint {
  return value - (value % unit);
}

function priceOf(text: string): number | undefined {
  try {
    return parsePrice(`${text.trim()}c`);
  } catch {
    return undefined;
  }
}

export function formatUnits(size: bigint): string {
  return formatAmount(size);
}
