// The signed order as the engine stores it: one object shape, and one copy of every string that many orders share.
import { areDefaultTerms, DEFAULT_TERMS, type OrderAccepted, ZERO_ADDRESS } from '@presage/protocol/engine-types';
import type { AccountRecord, MarketRecord } from './records.ts';

/**
 * Orders come from parsers and spreads, each with its own copy of the market's id and the wallet's address, and with
 * whatever object shape that left. Written out as a literal they are read many times faster and use less memory. The literal
 * must name every field there is, optional ones too: none is lost on the way.
 */
export function toKeptOrder(event: OrderAccepted, market: MarketRecord, account: AccountRecord): OrderAccepted {
  const { order, permit } = event;
  const kept: Required<Omit<OrderAccepted, 'permit'>> = {
    type: 'order-accepted',
    marketId: market.id,
    step: event.step,
    timeMs: event.timeMs,
    orderHash: event.orderHash,
    order: {
      marketId: market.id,
      trader: account.trader,
      side: order.side,
      outcome: order.outcome,
      price: order.price,
      size: order.size,
      nonce: order.nonce,
      expiration: order.expiration,
      makerFeeRecipient: order.makerFeeRecipient === ZERO_ADDRESS ? ZERO_ADDRESS : order.makerFeeRecipient,
    },
    signature: event.signature,
    terms: areDefaultTerms(event.terms) ? DEFAULT_TERMS : event.terms,
  };
  return permit === undefined ? kept : { ...kept, permit };
}
