// Decides which quotes are accepted: fresh, in order, with a small confidence interval, and close to known prices. Pure.
import type { Price, Quote } from './ports.ts';

export type QuoteFault = 'stale' | 'ahead' | 'out_of_order' | 'unsure' | 'deviates' | 'simulated';

export interface QuoteContext {
  /** Service time. */
  readonly nowMs: number;
  /** The last good quote of the same source. */
  readonly previous: Price | undefined;
  /** The last good quote of the primary. */
  readonly primary: Price | undefined;
  readonly allowsSimulated: boolean;
}

const QUOTE_RULES = {
  /** Maximum age of a quote. */
  maxAgeMs: 10_000,
  /** Maximum by which a quote may be ahead of our clock. */
  maxAheadMs: 5_000,
  /** Divisor for the widest confidence interval: one fiftieth of the price. */
  maxUnsureShare: 50,
  /** Jump: a change of the primary by more than a quarter within a minute counts as an error until it has lasted that minute. */
  leap: { share: 4, withinMs: 60_000 },
  /** Deviation: a fallback more than a twentieth from the primary's price of the last ten minutes shows another market. */
  apart: { share: 20, withinMs: 600_000 },
} as const;

/** The fault of a quote; undefined if it is acceptable. */
export function judgeQuote(quote: Quote, context: QuoteContext): QuoteFault | undefined {
  const { nowMs, previous, primary, allowsSimulated } = context;
  if (quote.simulated && !allowsSimulated) return 'simulated';
  if (nowMs - quote.timeMs > QUOTE_RULES.maxAgeMs) return 'stale';
  if (isAhead(quote, nowMs)) return 'ahead';
  if (previous !== undefined && quote.timeMs <= previous.timeMs) return 'out_of_order';
  if ((quote.confidence ?? 0) > quote.price / QUOTE_RULES.maxUnsureShare) return 'unsure';
  return isTooFar(quote, primary) ? 'deviates' : undefined;
}

/** Whether a price lies in the future. A stored one, from a run with a wrong clock, would block every later price. */
export function isAhead({ timeMs }: Price, nowMs: number): boolean {
  return timeMs - nowMs > QUOTE_RULES.maxAheadMs;
}

function isTooFar(quote: Quote, primary: Price | undefined): boolean {
  // No limit for simulated prices, which may be moved by hand by any amount.
  if (primary === undefined || primary.simulated || quote.simulated) return false;
  const { share, withinMs } = quote.source === primary.source ? QUOTE_RULES.leap : QUOTE_RULES.apart;
  if (quote.timeMs - primary.timeMs > withinMs) return false;
  return Math.abs(quote.price - primary.price) > primary.price / share;
}
