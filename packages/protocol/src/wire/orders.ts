// Answers of the order endpoints.
import Type from 'typebox';
import { ORDER_STATUSES } from '../records/engine-events.ts';
import { ReceiptAnswer } from './journal.ts';
import { AddressText, Bit, Bytes32Text, TradeNumber, Uint64, UnixSeconds } from './scalars.ts';

export const OrderStatusText = Type.Enum([...ORDER_STATUSES]);

export const SubmitOrderAnswer = Type.Object({
  orderHash: Bytes32Text,
  status: Type.Literal('accepted'),
  matches: Type.Integer({ minimum: 0, description: 'resting orders met at once' }),
  timestamp: UnixSeconds,
  filledSize: Uint64,
  remainingSize: Uint64,
  orderStatus: OrderStatusText,
  trades: Type.Array(
    Type.Object({
      id: TradeNumber,
      tradeId: Type.String(),
      price: Uint64,
      size: Uint64,
      fee: Type.Optional(
        Type.Integer({ minimum: 1, description: 'what this order pays beside the price; absent where it is nothing' }),
      ),
    }),
  ),
  receipt: Type.Optional(ReceiptAnswer),
});

export const OpenOrder = Type.Object({
  orderHash: Bytes32Text,
  marketId: Bytes32Text,
  side: Bit,
  price: Uint64,
  size: Uint64,
  remainingSize: Uint64,
  timestamp: UnixSeconds,
  trader: AddressText,
  outcome: Bit,
  nonce: Uint64,
  expiration: Uint64,
  filledSize: Uint64,
  status: OrderStatusText,
  createdAt: UnixSeconds,
});

export const OrderList = Type.Object({ orders: Type.Array(OpenOrder), count: Type.Integer() });

export const OrderLifeEvent = Type.Object(
  { type: Type.String(), timestamp: UnixSeconds },
  { additionalProperties: true, description: 'accepted, each fill, each settlement attempt, its end' },
);

export const OrderLife = Type.Object({
  orderHash: Bytes32Text,
  events: Type.Array(OrderLifeEvent),
  count: Type.Integer(),
});

export const CancelAnswer = Type.Object({
  status: Type.Literal('cancelled'),
  orderHash: Bytes32Text,
  filledSize: Uint64,
  remainingSize: Uint64,
  receipt: Type.Optional(ReceiptAnswer),
});
