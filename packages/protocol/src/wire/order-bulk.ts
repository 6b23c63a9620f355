// Bulk orders and trial orders: batches, cancel-all, the dead-man switch, validation.
import Type from 'typebox';
import { LIMITS } from '../core/limits.ts';
import { ErrorBody } from './errors.ts';
import { ReceiptAnswer } from './journal.ts';
import { ORDER_EXAMPLE } from './order-submission.ts';
import { SubmitOrderAnswer } from './orders.ts';
import { AddressText, Bytes32Text, DecimalText, Uint64, UnixSeconds } from './scalars.ts';

export const BatchInput = Type.Object({
  orders: Type.Array(Type.Unknown(), {
    description: `a list of at most ${LIMITS.batchOrders} bodies of POST /api/v1/orders`,
    examples: [[ORDER_EXAMPLE]],
  }),
  atomic: Type.Optional(
    Type.Boolean({
      description:
        'true or false; true: all are placed in one frame, or none (409 `batch_not_filled`), every order is FOK or post-only, and all markets are of one partition',
    }),
  ),
});

export const BatchAnswer = Type.Object({
  results: Type.Array(Type.Union([SubmitOrderAnswer, ErrorBody]), {
    description: 'one each, in the order of the list',
  }),
});

export const CancelAllAnswer = Type.Object({
  cancelled: Type.Array(Bytes32Text),
  count: Type.Integer(),
  receipt: Type.Optional(ReceiptAnswer),
});

export const HEARTBEAT_TIMEOUT = `0, or seconds from ${LIMITS.heartbeatMinSeconds} to ${LIMITS.heartbeatMaxSeconds}`;

export const HeartbeatInput = Type.Object({
  timeoutSeconds: Type.Integer({ description: HEARTBEAT_TIMEOUT }),
  trader: Type.Optional(AddressText),
});

export const HeartbeatAnswer = Type.Object({
  expiresAt: Type.Union([UnixSeconds, Type.Null()], { description: 'wall time; null when disarmed' }),
});

const Funds = Type.Object(
  {
    token: AddressText,
    spender: AddressText,
    required: DecimalText,
    available: DecimalText,
    reserved: DecimalText,
    balance: DecimalText,
    allowance: DecimalText,
    deposited: Type.Optional(DecimalText),
    sharesRequired: DecimalText,
    sharesApproved: Type.Boolean(),
    covered: Type.Boolean(),
  },
  {
    description:
      'what the order takes and what there is, in units of the stablecoin; sharesRequired are held shares that it would ' +
      'sell; null while the chain cannot be reached, or when the order has no hash',
  },
);

export const ValidationAnswer = Type.Object({
  orderHash: Type.Union([Bytes32Text, Type.Null()]),
  domain: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  recoveredSigner: Type.Union([AddressText, Type.Null()]),
  funds: Type.Union([Funds, Type.Null()]),
  errors: Type.Array(
    Type.Object({
      code: Type.String(),
      error: Type.String(),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  wouldMatch: Type.Optional(
    Type.Object({
      matches: Type.Integer(),
      filledSize: Uint64,
      remainingSize: Uint64,
      averagePrice: Uint64,
      worstPrice: Uint64,
      cost: Uint64,
      fee: Type.Integer({ minimum: 0, description: 'of these fills together' }),
    }),
  ),
  maxFee: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'the most that the order can cost in fees, at the price of a fill that charges most within its limit; fills round up, one unit each at most',
    }),
  ),
});
