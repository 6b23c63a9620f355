// Prices of assets as the wire shows them.
import {
  type CurrentPrice,
  PRICE_DECIMALS,
  type PriceHistoryEntry,
  type PriceStreamEvent,
  toPriceUsd,
  toSeconds,
} from '@presage/protocol';
import type { Price } from '../../prices/ports.ts';
import type { Answer } from '../answer.ts';

export function toCurrentPrice(price: Price, source: string): Answer<typeof CurrentPrice> {
  return {
    asset: price.asset,
    ...toFigures(price),
    priceDecimals: PRICE_DECIMALS,
    timestamp: toSeconds(price.timeMs),
    source,
    ...toMark(price),
  };
}

export function toHistoryEntry(price: Price): Answer<typeof PriceHistoryEntry> {
  return {
    ...toFigures(price),
    timestamp: toSeconds(price.timeMs),
    source: price.source,
    ...toMark(price),
  };
}

export function toStreamEvent(price: Price): Answer<typeof PriceStreamEvent> {
  return {
    asset: price.asset,
    ...toFigures(price),
    priceDecimals: PRICE_DECIMALS,
    timestamp: price.timeMs,
    source: price.source,
    ...toMark(price),
  };
}

function toFigures({ price }: Price): Pick<Answer<typeof PriceStreamEvent>, 'price' | 'priceUSD'> {
  return { price, priceUSD: toPriceUsd(price) };
}

function toMark({ simulated }: Price): { simulated?: true } {
  return simulated ? { simulated } : {};
}
