// The accepted order as everything in the service keeps it: one object of one shape, with one copy of every string that many orders share.
import {
  areDefaultTerms,
  DEFAULT_TERMS,
  type OrderAccepted,
  type PlaceOrder,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import type { AccountRecord, MarketRecord } from './records.ts';

interface OrderPlace {
  readonly market: MarketRecord;
  /** Account of the trader, if the market has one. */
  readonly account: AccountRecord | undefined;
  readonly step: number;
}

/**
 * Orders come from parsers and spreads, each with its own copy of the market's id and the wallet's address, and with
 * whatever object shape that left. Written out as a literal they are read many times faster and use less memory. Both engines,
 * the journal and the followers then share this very object. The literal must name every field there is, optional ones too.
 */
export function toKeptOrder(command: PlaceOrder, { market, account, step }: OrderPlace): OrderAccepted {
  const { order, permit } = command;
  const kept: Required<Omit<OrderAccepted, 'permit'>> = {
    type: 'order-accepted',
    marketId: market.id,
    step,
    timeMs: command.timeMs,
    orderHash: command.orderHash,
    order: {
      marketId: market.id,
      trader: account?.trader ?? order.trader,
      side: order.side,
      outcome: order.outcome,
      price: order.price,
      size: order.size,
      nonce: order.nonce,
      expiration: order.expiration,
      makerFeeRecipient: order.makerFeeRecipient === ZERO_ADDRESS ? ZERO_ADDRESS : order.makerFeeRecipient,
    },
    signature: command.signature,
    terms: areDefaultTerms(command.terms) ? DEFAULT_TERMS : command.terms,
  };
  return permit === undefined ? kept : { ...kept, permit };
}
