// What a market says: the chance of YES, and what a share of either outcome is worth now. The one definition, for service and page.
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

export interface ShareMarks {
  readonly yes: number;
  readonly no: number;
}

/** What a share would bring now: the best bid, else what the last trade says, else nothing. In millionths. */
export function marksOf({ bid, ask }: YesQuote, lastYesPrice: number): ShareMarks {
  return { yes: bid > 0 ? bid : lastYesPrice, no: complementOf(ask > 0 ? ask : lastYesPrice) };
}

/** 0, which stands for no price, has none. */
function complementOf(price: number): number {
  return price === 0 ? 0 : PRICE_SCALE - price;
}
