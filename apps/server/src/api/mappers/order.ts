// Maps orders to the wire.
import type { OrderView } from '@presage/engine';
import { type Order, toChecksumAddress, toSeconds } from '@presage/protocol';
import type { OrderLifeEntry } from '../../projections/orders/order-life-queries.ts';
import type { OrderRow } from '../../projections/orders/order-queries.ts';
import type { Wire } from '../answer.ts';

export function toOpenOrder({ signed, ...view }: OrderView): Wire<'OpenOrder'> {
  return toWireOrder({ ...signed.order, ...view, orderHash: signed.orderHash });
}

/** Fields of an order that both the engine and the view have; the view keeps an order after the engine has removed it. */
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
  const timestamp = toSeconds(timeMs);
  if (moment.type !== 'filled') return { ...moment, timestamp };
  const { fee, makerRebate, ...fill } = moment;
  const fees = fee === null ? { fee: 0 } : { fee, makerRebate: makerRebate ?? 0 };
  // A trade's id is its sequence in the journal.
  const shown = { id: seq, counterparty: toChecksumAddress(fill.counterparty), ...fees };
  return { ...fill, ...shown, timestamp };
}
