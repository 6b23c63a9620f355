// Answers of the market and orderbook endpoints.
import Type from 'typebox';
import { CATEGORY_PATTERN, MARKET_KINDS } from '../core/market.ts';
import { FEE_RATES } from './fees.ts';
import { AddressText, Bit, Bytes32Text, Int64, NoAskPrice, Uint64, UnixSeconds } from './scalars.ts';

export const MARKET_STATUSES = ['open', 'expired', 'proposed', 'disputed', 'resolved', 'void'] as const;
export type MarketStatus = (typeof MARKET_STATUSES)[number];

export const CategoryText = Type.String({
  pattern: CATEGORY_PATTERN,
  description: 'the id of a category of GET /api/v1/categories',
});

export const CategoryList = Type.Object({
  categories: Type.Array(Type.Object({ id: CategoryText, name: Type.String() }), {
    description: 'by name; a market always has one of them',
  }),
  count: Type.Integer(),
});

export const EventOfMarket = Type.Object(
  { id: Bytes32Text, index: Type.Integer({ minimum: 0 }), name: Type.String() },
  { description: 'the event whose outcome a market is, the place of the outcome and its name' },
);

export const Market = Type.Object({
  id: Bytes32Text,
  question: Type.String(),
  description: Type.String(),
  category: CategoryText,
  contractAddress: AddressText,
  maker: AddressText,
  expiration: Uint64,
  chainId: Type.Integer(),
  resolved: Type.Boolean(),
  bestAskPrice: Uint64,
  createdAt: UnixSeconds,
  conditionId: Bytes32Text,
  settlementAddress: AddressText,
  conditionalTokens: AddressText,
  stablecoin: AddressText,
  yesTokenId: Type.String(),
  noTokenId: Type.String(),
  status: Type.Enum([...MARKET_STATUSES]),
  winningOutcome: Type.Union([Bit, Type.Null()]),
  volume: Uint64,
  volume24h: Uint64,
  lastPrice: Uint64,
  lastYesPrice: Uint64,
  bestBidPrice: Uint64,
  bestNoAskPrice: NoAskPrice,
  kind: Type.Enum([...MARKET_KINDS]),
  updatedAt: UnixSeconds,
  ...FEE_RATES,
  chance: Type.Union([Uint64, Type.Null()], {
    description:
      'of YES, in millionths: the middle of the best bid and ask of YES, offers of NO counted at 1 - p, when they stand within 0.1; else the last trade in terms of YES; else null',
  }),
  change24h: Type.Union([Int64, Type.Null()], {
    description:
      'chance less the last trade, in terms of YES, that is a day old, or the first one of a younger market; null while there is none',
  }),
  source: Type.Optional(Type.String({ description: 'where the answer comes from, as the operator named it' })),
  imageUrl: Type.Optional(Type.String({ description: 'a picture, at an https address' })),
  featured: Type.Optional(Type.Literal(true, { description: 'the operator shows it first' })),
  paused: Type.Optional(Type.Literal(true, { description: 'no orders are taken at the moment; cancels are' })),
  earlyResolution: Type.Optional(
    Type.Literal(true, { description: 'a result may be proposed before the expiration; trading stops with it' }),
  ),
  asCreated: Type.Optional(
    Type.Object(
      { question: Type.String(), description: Type.String() },
      { description: 'the texts on chain, which the oracle goes by; there where the operator has edited them' },
    ),
  ),
  event: Type.Optional(EventOfMarket),
  sparkline: Type.Optional(
    Type.Array(Uint64, {
      description:
        'with `include=sparkline`: prices in terms of YES at even steps over seven days, or since the first trade, oldest first; it ends with the chance',
    }),
  ),
});

export const MarketList = Type.Object({
  markets: Type.Array(Market),
  count: Type.Integer(),
  nextCursor: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

export const Level = Type.Object({ price: Uint64, size: Uint64, outcome: Type.Optional(Bit) });

export const OrderbookSnapshot = Type.Object({
  marketId: Bytes32Text,
  outcome: Type.Optional(Bit),
  bids: Type.Array(Level),
  asks: Type.Array(Level),
  lastUpdate: UnixSeconds,
  seq: Type.Integer(),
  hash: Type.String({ pattern: '^[0-9a-f]{16}$' }),
});
