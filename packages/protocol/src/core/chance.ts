// The chance of YES that a market's book implies. The one definition, for service and page.
import { PRICE_SCALE } from './units.ts';

/** Best prices of both books in millionths; 0 where a side is empty. */
export interface BestPrices {
  readonly yesBid: number;
  readonly yesAsk: number;
  readonly noBid: number;
  readonly noAsk: number;
}

/** Best prices of the market in terms of YES; 0 where a side is empty. */
export interface YesQuote {
  readonly bid: number;
  readonly ask: number;
}

/** Widest spread whose middle counts as the chance: offers further apart say nothing about it. */
const CHANCE_SPREAD_MAX = 100_000;

/** A buyer of NO at p offers YES at 1 - p, and the other way round. */
export function quoteYes({ yesBid, yesAsk, noBid, noAsk }: BestPrices): YesQuote {
  const asks = [yesAsk, complementOf(noBid)].filter((price) => price > 0);
  return { bid: Math.max(yesBid, complementOf(noAsk)), ask: asks.length === 0 ? 0 : Math.min(...asks) };
}

/**
 * Chance of YES in millionths, rounded down: the middle when both sides are within 10 cents, else the last trade in
 * terms of YES, else null.
 */
export function chanceOf({ bid, ask }: YesQuote, lastYesPrice: number): number | null {
  const isQuoted = bid > 0 && ask > 0 && Math.abs(ask - bid) <= CHANCE_SPREAD_MAX;
  if (isQuoted) return Math.floor((bid + ask) / 2);
  return lastYesPrice > 0 ? lastYesPrice : null;
}

/** The price of the other outcome. 0 means no price and stays 0. */
function complementOf(price: number): number {
  return price === 0 ? 0 : PRICE_SCALE - price;
}
