// What a market says of YES. The one definition, for service and page.
import { PRICE_SCALE } from './units.ts';

/** Best prices of both books in millionths; 0 where a side is empty. */
export interface BestPrices {
  readonly yesBid: number;
  readonly yesAsk: number;
  readonly noBid: number;
  readonly noAsk: number;
}

/** In terms of YES; 0 where a side is empty. */
export interface YesQuote {
  readonly bid: number;
  readonly ask: number;
}

/** Further apart, the middle of two offers says nothing about the chance. */
const CHANCE_SPREAD_MAX = 100_000;

/** A buyer of NO at p offers YES at 1 - p, and the other way round. */
export function quoteYes({ yesBid, yesAsk, noBid, noAsk }: BestPrices): YesQuote {
  const asks = [yesAsk, complementOf(noBid)].filter((price) => price > 0);
  return { bid: Math.max(yesBid, complementOf(noAsk)), ask: asks.length === 0 ? 0 : Math.min(...asks) };
}

/** The middle when both sides stand within 10 cents, else the last trade in terms of YES, else null. In millionths, rounded down. */
export function chanceOf({ bid, ask }: YesQuote, lastYesPrice: number): number | null {
  const isQuoted = bid > 0 && ask > 0 && Math.abs(ask - bid) <= CHANCE_SPREAD_MAX;
  if (isQuoted) return Math.floor((bid + ask) / 2);
  return lastYesPrice > 0 ? lastYesPrice : null;
}

/** 0, which stands for no price, has none. */
function complementOf(price: number): number {
  return price === 0 ? 0 : PRICE_SCALE - price;
}
