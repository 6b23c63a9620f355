// Orders as the wire shows them.
import type { OrderView } from '@presage/engine';
import { type OrderAnswer, toChecksumAddress } from '@presage/protocol';
import type { OrderMoment } from '../projections/order-life.ts';
import type { OrderRow } from '../projections/order-queries.ts';

export function toSubmitAnswer(answer: OrderAnswer): object {
  return {
    orderHash: answer.orderHash,
    status: 'accepted',
    matches: answer.matches,
    timestamp: toSeconds(answer.timeMs),
    filledSize: answer.filledSize,
    remainingSize: answer.remainingSize,
    orderStatus: answer.orderStatus,
    trades: answer.trades,
  };
}

export function toOpenOrder(view: OrderView): object {
  const { order, orderHash } = view.signed;
  const placedAt = toSeconds(view.acceptedMs);
  return {
    orderHash,
    marketId: order.marketId,
    side: order.side,
    price: order.price,
    size: order.size,
    remainingSize: view.remainingSize,
    timestamp: placedAt,
    trader: toChecksumAddress(order.trader),
    outcome: order.outcome,
    nonce: order.nonce,
    expiration: order.expiration,
    filledSize: view.filledSize,
    status: view.status,
    createdAt: placedAt,
  };
}

export function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1_000);
}

/** An order that the engine has forgotten, from the view. */
export function toOrderDetail(row: OrderRow): object {
  const placedAt = toSeconds(row.acceptedMs);
  return {
    orderHash: row.orderHash,
    marketId: row.marketId,
    side: row.side,
    price: row.price,
    size: row.size,
    remainingSize: row.remainingSize,
    timestamp: placedAt,
    trader: toChecksumAddress(row.trader),
    outcome: row.outcome,
    nonce: row.nonce,
    expiration: row.expiration,
    filledSize: row.filledSize,
    status: row.status,
    createdAt: placedAt,
  };
}

export function toOrderMoment({ seq: _seq, timeMs, ...moment }: OrderMoment): object {
  const counterparty = 'counterparty' in moment ? { counterparty: toChecksumAddress(moment.counterparty) } : {};
  return { ...moment, ...counterparty, timestamp: toSeconds(timeMs) };
}
