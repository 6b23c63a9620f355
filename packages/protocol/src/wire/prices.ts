// Prices of assets on the wire: the current one, the last twenty minutes, the stream's events, and prices held in the sandbox.
import Type from 'typebox';
import { PRICE_SOURCES } from '../core/price-feeds.ts';
import { Int64, UnixSeconds } from './scalars.ts';

const figures = {
  price: Int64,
  priceUSD: Type.Number({ description: 'for display only' }),
};
const simulated = Type.Optional(Type.Literal(true, { description: 'present where the price is made up' }));
const PriceSource = Type.Enum([...PRICE_SOURCES]);
const Decimals = Type.Integer({ description: 'decimals of price' });

export const CurrentPrice = Type.Object({
  asset: Type.String(),
  ...figures,
  priceDecimals: Decimals,
  timestamp: UnixSeconds,
  source: Type.String({ description: 'the URL that was asked' }),
  simulated,
});

export const PriceHistoryEntry = Type.Object({ ...figures, timestamp: UnixSeconds, source: PriceSource, simulated });

export const PriceHistory = Type.Object({
  asset: Type.String(),
  priceDecimals: Decimals,
  prices: Type.Array(PriceHistoryEntry, { description: 'twenty minutes at most, oldest first' }),
  count: Type.Integer(),
});

export const PriceStreamEvent = Type.Object({
  asset: Type.String(),
  ...figures,
  priceDecimals: Decimals,
  timestamp: Type.Integer({ description: 'Unix milliseconds' }),
  source: PriceSource,
  simulated,
});

/** 90 million dollars: about the largest price that is a safe integer with eight decimals. */
export const MAX_PRICE_USD = 90_000_000;

export const PinnedPrice = Type.Object({
  asset: Type.String(),
  price: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
  priceUSD: Type.Union([Type.Number(), Type.Null()]),
  priceDecimals: Decimals,
  from: Type.Integer({ description: 'the first second it holds for, Unix seconds' }),
});

export const PricePinInput = Type.Object({
  asset: Type.String({ minLength: 1, maxLength: 16, description: 'a symbol such as BTC' }),
  priceUSD: Type.Union([Type.Number({ minimum: 0.00000001, maximum: MAX_PRICE_USD }), Type.Null()], {
    description: `a JSON number of dollars from 0.00000001 to ${MAX_PRICE_USD}, or null to release it`,
  }),
});
