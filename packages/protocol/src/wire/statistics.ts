// Answers about trading and holdings: market and platform statistics, holders, activity, candles.
import Type from 'typebox';
import { AddressText, Bit, Bytes32Text, Int64, Uint64, UnixSeconds } from './scalars.ts';
import { Trade } from './trades.ts';

export const CANDLE_INTERVALS = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
export type CandleInterval = (typeof CANDLE_INTERVALS)[number];

export const CANDLE_SECONDS: Readonly<Record<CandleInterval, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
};

export const MarketStatistics = Type.Object({
  marketId: Bytes32Text,
  contractAddress: AddressText,
  volume24h: Uint64,
  totalVolume: Uint64,
  lastPrice: Uint64,
});

export const Holder = Type.Object({
  userAddress: AddressText,
  yesShares: Int64,
  noShares: Int64,
  totalInvested: Int64,
});

export const Holders = Type.Object({ topHolders: Type.Array(Holder), totalHolders: Type.Integer() });

export const MarketActivity = Type.Object({
  marketId: Bytes32Text,
  activity: Type.Array(Trade),
  count: Type.Integer(),
});

const figures = {
  total_volume: Uint64,
  total_trades: Type.Integer(),
  total_markets: Type.Integer(),
  active_markets: Type.Integer(),
  open_interest: Type.Union([Type.Integer({ minimum: 0 }), Type.BigInt({ minimum: 0n })], {
    description:
      'outstanding pairs of YES and NO, each of which locks one unit of stablecoin, or what the shares of a decided market pay; 6 decimals',
  }),
  volume_24h: Uint64,
};

export const ChainStatistics = Type.Object({
  chain_id: Type.Integer(),
  ...figures,
  updated_at: UnixSeconds,
});

export const PlatformStatistics = Type.Object({ chains: Type.Array(ChainStatistics), ...figures });

export const Candle = Type.Object({
  time: UnixSeconds,
  open: Uint64,
  high: Uint64,
  low: Uint64,
  close: Uint64,
  volume: Uint64,
});

export const Candles = Type.Object({
  marketId: Bytes32Text,
  outcome: Bit,
  interval: Type.Enum([...CANDLE_INTERVALS]),
  candles: Type.Array(Candle, { description: 'oldest first; an interval without a trade has none' }),
  nextCursor: Type.Union([Type.String(), Type.Null()], { description: 'leads to older ones' }),
});
