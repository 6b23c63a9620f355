// Answers of the quick-market endpoints.
import Type from 'typebox';
import { PRICE_SOURCES } from '../core/price-feeds.ts';
import { FEE_RATES } from './fees.ts';
import { MARKET_STATUSES } from './markets.ts';
import { AddressText, Bit, Bytes32Text, Int64, Uint64, UnixSeconds } from './scalars.ts';

export const PriceEvidence = Type.Object({
  source: Type.Enum([...PRICE_SOURCES]),
  publishTime: UnixSeconds,
  payload: Type.String({
    pattern: '^0x([0-9a-f]{2})+$',
    description: 'what the oracle contract takes as its update data',
  }),
});

export const QuickMarket = Type.Object({
  id: Type.Integer(),
  marketId: Bytes32Text,
  asset: Type.String(),
  intervalMinutes: Type.Integer(),
  startPrice: Int64,
  startTime: UnixSeconds,
  endTime: UnixSeconds,
  resolved: Type.Boolean(),
  priceSource: Type.Enum([...PRICE_SOURCES]),
  createdAt: UnixSeconds,
  endPrice: Type.Union([Int64, Type.Null()], { description: 'null until resolved, and when void' }),
  outcome: Type.Union([Bit, Type.Null()], { description: 'null until resolved, and when void' }),
  contractAddress: AddressText,
  priceDecimals: Type.Integer({ description: 'decimals of startPrice and endPrice' }),
  status: Type.Enum([...MARKET_STATUSES]),
  bestAskPrice: Uint64,
  startEvidence: PriceEvidence,
  endEvidence: Type.Union([PriceEvidence, Type.Null()]),
  ...FEE_RATES,
  simulated: Type.Optional(Type.Literal(true, { description: 'present where the prices are made up' })),
});

/** Only in stream messages for clients that named a chain. */
const ChainNamed = Type.Optional(Type.Integer());

export const ActiveQuickMarket = Type.Object({
  active: Type.Literal(true),
  asset: Type.String(),
  chain_id: ChainNamed,
  quickMarket: QuickMarket,
  bestAskPrice: Uint64,
});

export const NoActiveQuickMarket = Type.Object({
  active: Type.Literal(false),
  asset: Type.String(),
  chain_id: ChainNamed,
  nextMarket: Type.Null(),
  quickMarket: Type.Null(),
});

export const QuickMarketHistory = Type.Object({
  asset: Type.String(),
  markets: Type.Array(QuickMarket, { description: 'newest first' }),
  count: Type.Integer(),
});
