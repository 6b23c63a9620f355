// The maximum behind the ticket's size buttons: all shares held, or all that the available money buys.
import { formatAmount, parsePrice } from '@presage/sdk';
import type { Ticket } from './ticket.ts';

/** Headroom for the rounding of fills, one unit each. */
const SLACK = 1_000n;
const LOT = 10_000n;
/** An immediate order has no limit price: the worst one always fits. */
const WORST = 999_999;

export function maxShares({ side, kind, price }: Ticket, held: bigint, available: bigint): bigint {
  if (side === 'sell') return held;
  const free = available > SLACK ? available - SLACK : 0n;
  const size = (free * 1_000_000n) / BigInt(kind === 'now' ? WORST : priceOf(price));
  return size - (size % LOT);
}

function priceOf(text: string): number {
  try {
    return parsePrice(`${text.trim()}c`);
  } catch {
    return WORST;
  }
}

export function formatUnits(size: bigint): string {
  return formatAmount(size);
}
