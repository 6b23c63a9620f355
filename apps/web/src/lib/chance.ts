// The chance of YES, by one definition for the whole page: the middle of a close book, else the last trade, else none.
import type { Market } from '@presage/sdk';

/** A wider spread has no middle worth naming. */
const CLOSE = 100_000;

export interface ChanceSources {
  /** Of YES, in millionths; 0 or undefined when there is none. */
  readonly bid: number | undefined;
  readonly ask: number | undefined;
  /** The last trade, in YES terms. */
  readonly last: number | undefined;
}

/** Millionths; undefined when nobody has said anything yet. */
export function chanceOf({ bid, ask, last }: ChanceSources): number | undefined {
  if (bid && ask && ask - bid <= CLOSE) return Math.round((bid + ask) / 2);
  return last || undefined;
}

export function marketChance(market: Market): number | undefined {
  const { bestBidPrice, bestAskPrice, lastYesPrice } = market;
  return chanceOf({ bid: Number(bestBidPrice), ask: Number(bestAskPrice), last: Number(lastYesPrice) });
}

/** A trade of NO at a price says 1 less that price of YES. */
export function inYesTerms({ outcome, price }: { readonly outcome: number; readonly price: number | bigint }): number {
  return outcome === 0 ? Number(price) : 1_000_000 - Number(price);
}
