// The trades of an order and their settlement, read from the order's events.
import type { OrderEvent } from '../types.ts';

export interface OrderTrade {
  readonly id: number;
  /** Millionths. */
  readonly price: number | bigint;
  readonly size: number | bigint;
  readonly role: 'maker' | 'taker';
  readonly counterparty: string;
  readonly stage: 'matched' | 'submitted' | 'mined' | 'confirmed' | 'retrying' | 'failed';
  /** The settlement transaction, once it was broadcast. */
  readonly txHash?: string;
  /** Why it failed, and whose fault it was. */
  readonly reason?: string;
  readonly faultParty?: string;
}

const MOVES: ReadonlySet<string> = new Set(['submitted', 'mined', 'confirmed', 'retrying', 'failed']);

/** Later events override earlier ones, so a trade rolled back by a reorg shows as such. */
export function tradesOf(events: readonly OrderEvent[]): OrderTrade[] {
  const trades = new Map<string, OrderTrade>();
  for (const event of events) {
    // Events of trades have these fields; the others are not looked at.
    const fields = event as OrderEvent & OrderTrade & { readonly tradeId: string };
    const known = trades.get(fields.tradeId);
    if (fields.type === 'filled') trades.set(fields.tradeId, toTrade(fields));
    else if (known !== undefined && MOVES.has(fields.type)) trades.set(fields.tradeId, moved(known, fields));
  }
  return [...trades.values()];
}

function toTrade({ id, price, size, role, counterparty }: OrderTrade): OrderTrade {
  return { id, price, size, role, counterparty, stage: 'matched' };
}

function moved(trade: OrderTrade, event: OrderTrade & { readonly type: string }): OrderTrade {
  return {
    ...trade,
    // One of MOVES.
    stage: event.type as OrderTrade['stage'],
    ...(event.txHash && { txHash: event.txHash }),
    ...(event.reason && { reason: event.reason }),
    ...(event.faultParty && { faultParty: event.faultParty }),
  };
}

export function isFinal({ stage }: OrderTrade): boolean {
  return stage === 'confirmed' || stage === 'failed';
}
