// Answers of the event endpoints: questions of several outcomes, each of which is a market.
import Type from 'typebox';
import { MAX_OUTCOMES, MIN_OUTCOMES } from '../core/outcome-ids.ts';
import { MAX_NAME_BYTES } from '../core/outcome-names.ts';
import { FEE_RATES } from './fees.ts';
import { CategoryText, MARKET_STATUSES } from './markets.ts';
import { AddressText, Bit, Bytes32Text, NoAskPrice, PLAIN_TEXT, Uint64, UnixSeconds } from './scalars.ts';

export const OutcomeIndex = Type.Integer({
  minimum: 0,
  maximum: MAX_OUTCOMES - 1,
  description: 'place of the outcome in its event',
});

/** Names of a new event's outcomes. */
export const OutcomeNames = Type.Array(
  Type.String({
    pattern: PLAIN_TEXT,
    description: `a name of 1 to ${MAX_NAME_BYTES} bytes, none of them control characters`,
  }),
  { minItems: MIN_OUTCOMES, maxItems: MAX_OUTCOMES, description: `${MIN_OUTCOMES} to ${MAX_OUTCOMES} different names` },
);

export const EventOutcome = Type.Object({
  index: OutcomeIndex,
  name: Type.String(),
  marketId: Bytes32Text,
  chance: Type.Union([Uint64, Type.Null()], { description: 'as of its market' }),
  bestBidPrice: Uint64,
  bestAskPrice: Uint64,
  bestNoAskPrice: NoAskPrice,
  lastPrice: Uint64,
});

export const Event = Type.Object({
  id: Bytes32Text,
  question: Type.String(),
  description: Type.String(),
  category: CategoryText,
  chainId: Type.Integer(),
  contractAddress: AddressText,
  expiration: Uint64,
  status: Type.Enum([...MARKET_STATUSES], {
    description: 'open while any of its markets is; decided once all of them are',
  }),
  resolved: Type.Boolean(),
  winningIndex: Type.Optional(
    Type.Union([OutcomeIndex, Type.Null()], { description: 'there once it is resolved; null when it is void' }),
  ),
  outcomeCount: Type.Integer({ description: 'how many outcomes it has; those that are not listed yet follow' }),
  outcomes: Type.Array(EventOutcome, { description: 'the listed ones, by index' }),
  volume24h: Uint64,
  totalVolume: Uint64,
  ...FEE_RATES,
  createdAt: UnixSeconds,
});

export const EventList = Type.Object({
  events: Type.Array(Event),
  count: Type.Integer(),
  next: Type.Union([Type.String(), Type.Null()], { description: 'cursor of the next page; null on the last' }),
});

const QuotedOrder = Type.Object({
  marketId: Bytes32Text,
  side: Type.Literal(0),
  outcome: Bit,
  price: Uint64,
  size: Uint64,
  timeInForce: Type.Literal('FOK'),
});

export const EventQuoteWay = Type.Object({
  cost: Uint64,
  fee: Uint64,
  freed: Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt({ minimum: 0n })], {
    description: 'what the conversion pays back; 0 without one',
  }),
  total: Type.Union([Type.Integer(), Type.BigInt()], { description: 'cost + fee - freed' }),
  averagePrice: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'total for a share, in millionths, rounded up',
  }),
  worstPrice: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'what a share costs if every order fills at its limit, without fees',
  }),
  orders: Type.Array(QuotedOrder, {
    description: 'to sign and send as one batch with `atomic: true`; each fills whole or none is placed',
  }),
  conversion: Type.Optional(
    Type.Object(
      { indexes: Type.Array(OutcomeIndex), amount: Uint64 },
      { description: 'what to convert when the orders are settled, by POST /api/v1/relayer/ctf-conversion' },
    ),
  ),
});

export const EventQuoteAnswer = Type.Object({
  eventId: Bytes32Text,
  index: OutcomeIndex,
  side: Type.Literal('buy'),
  size: Uint64,
  best: Type.Union([Type.Literal('direct'), Type.Literal('converted'), Type.Null()], {
    description: 'the way with the lower total; null if neither has enough on offer',
  }),
  direct: Type.Union([EventQuoteWay, Type.Null()], { description: 'YES of the outcome is bought' }),
  converted: Type.Union([EventQuoteWay, Type.Null()], {
    description: 'NO of all other outcomes is bought and converted into YES of the outcome and collateral',
  }),
});
