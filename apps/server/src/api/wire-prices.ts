// Prices of assets as the wire shows them.
import { PRICE_DECIMALS, toPriceUsd } from '@presage/protocol';
import type { Price } from '../prices/ports.ts';

export function toCurrentPrice(price: Price, source: string): object {
  return {
    asset: price.asset,
    ...toFigures(price),
    priceDecimals: PRICE_DECIMALS,
    timestamp: Math.floor(price.timeMs / 1_000),
    source,
    ...toMark(price),
  };
}

export function toHistoryEntry(price: Price): object {
  return {
    ...toFigures(price),
    timestamp: Math.floor(price.timeMs / 1_000),
    source: price.source,
    ...toMark(price),
  };
}

export function toStreamEvent(price: Price): object {
  return {
    asset: price.asset,
    ...toFigures(price),
    priceDecimals: PRICE_DECIMALS,
    timestamp: price.timeMs,
    source: price.source,
    ...toMark(price),
  };
}

function toFigures({ price }: Price): object {
  return { price, priceUSD: toPriceUsd(price) };
}

function toMark({ simulated }: Price): object {
  return simulated ? { simulated } : {};
}
