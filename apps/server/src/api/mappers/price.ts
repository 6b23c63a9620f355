// Maps prices of assets to the wire.
import { PRICE_DECIMALS, toPriceUsd, toSeconds } from '@presage/protocol';
import type { Price } from '../../prices/ports.ts';
import type { Wire } from '../answer.ts';

export function toCurrentPrice(price: Price, source: string): Wire<'CurrentPrice'> {
  return {
    asset: price.asset,
    ...toFigures(price),
    priceDecimals: PRICE_DECIMALS,
    timestamp: toSeconds(price.timeMs),
    source,
    ...toMark(price),
  };
}

export function toHistoryEntry(price: Price): Wire<'PriceHistoryEntry'> {
  return {
    ...toFigures(price),
    timestamp: toSeconds(price.timeMs),
    source: price.source,
    ...toMark(price),
  };
}

export function toStreamEvent(price: Price): Wire<'PriceStreamEvent'> {
  return {
    asset: price.asset,
    ...toFigures(price),
    priceDecimals: PRICE_DECIMALS,
    timestamp: price.timeMs,
    source: price.source,
    ...toMark(price),
  };
}

function toFigures({ price }: Price): Pick<Wire<'PriceStreamEvent'>, 'price' | 'priceUSD'> {
  return { price, priceUSD: toPriceUsd(price) };
}

function toMark({ simulated }: Price): { simulated?: true } {
  return simulated ? { simulated } : {};
}
