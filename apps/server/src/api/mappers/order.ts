// Orders as the wire shows them.
import type { OrderView } from '@presage/engine';
import { type Order, type OrderAnswer, type Receipt, toChecksumAddress, toSeconds } from '@presage/protocol';
import type { OrderLifeEntry } from '../../projections/orders/order-life-queries.ts';
import type { OrderRow } from '../../projections/orders/order-queries.ts';
import type { Wire } from '../answer.ts';

/** The receipt is added afterwards: a spread would cost every order more than its matching. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function toSubmitAnswer(answer: OrderAnswer, receipt?: Receipt): Wire<'SubmitOrderAnswer'> {
  const body: Mutable<Wire<'SubmitOrderAnswer'>> = {
    orderHash: answer.orderHash,
    status: 'accepted',
    matches: answer.matches,
    timestamp: toSeconds(answer.timeMs),
    filledSize: answer.filledSize,
    remainingSize: answer.remainingSize,
    orderStatus: answer.orderStatus,
    trades: answer.trades,
  };
  if (receipt !== undefined) body.receipt = receipt;
  return body;
}

export function toOpenOrder({ signed, ...view }: OrderView): Wire<'OpenOrder'> {
  return toWireOrder({ ...signed.order, ...view, orderHash: signed.orderHash });
}

/** The part of an order that both the engine and the view know: the view has it once the engine has removed it. */
type ShownOrder = Pick<OrderRow, keyof Order & keyof OrderRow> &
  Pick<OrderRow, 'orderHash' | 'remainingSize' | 'filledSize' | 'status' | 'acceptedMs'>;

export function toWireOrder(order: ShownOrder): Wire<'OpenOrder'> {
  const placedAt = toSeconds(order.acceptedMs);
  return {
    orderHash: order.orderHash,
    marketId: order.marketId,
    side: order.side,
    price: order.price,
    size: order.size,
    remainingSize: order.remainingSize,
    timestamp: placedAt,
    trader: toChecksumAddress(order.trader),
    outcome: order.outcome,
    nonce: order.nonce,
    expiration: order.expiration,
    filledSize: order.filledSize,
    status: order.status,
    createdAt: placedAt,
  };
}

export function toOrderLifeEvent({ seq, timeMs, ...moment }: OrderLifeEntry): Wire<'OrderLifeEvent'> {
  // A trade's number is its place in the journal.
  const id = moment.type === 'filled' ? { id: seq } : {};
  const counterparty = 'counterparty' in moment ? { counterparty: toChecksumAddress(moment.counterparty) } : {};
  return { ...moment, ...id, ...counterparty, timestamp: toSeconds(timeMs) };
}
