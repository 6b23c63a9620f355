// Which quotes are accepted: fresh, in order, with a small confidence interval, and not far from what is known. A pure function.
import type { Price, Quote } from './ports.ts';

export type QuoteFault = 'stale' | 'ahead' | 'out_of_order' | 'unsure' | 'deviates' | 'simulated';

export interface QuoteContext {
  /** Service time. */
  readonly nowMs: number;
  /** The last good quote of the same source. */
  readonly former: Price | undefined;
  /** The last good quote of the primary. */
  readonly primary: Price | undefined;
  readonly allowsSimulated: boolean;
}

const QUOTE_RULES = {
  /** Older than this it says nothing about now. */
  maxAgeMs: 10_000,
  /** Clocks differ; more than this is a wrong one. */
  maxAheadMs: 5_000,
  /** A source that is less sure than one part in fifty has no price to give. */
  maxUnsureShare: 50,
  /** A leap of the primary by a quarter within a minute is an error until it has lasted that minute. */
  leap: { share: 4, withinMs: 60_000 },
  /** A fallback more than one part in twenty from what the primary published in the last ten minutes is another market. */
  apart: { share: 20, withinMs: 600_000 },
} as const;

/** Undefined when there is nothing wrong with it. */
export function judgeQuote(quote: Quote, context: QuoteContext): QuoteFault | undefined {
  const { nowMs, former, primary, allowsSimulated } = context;
  if (quote.simulated && !allowsSimulated) return 'simulated';
  if (nowMs - quote.timeMs > QUOTE_RULES.maxAgeMs) return 'stale';
  if (isAhead(quote, nowMs)) return 'ahead';
  if (former !== undefined && quote.timeMs <= former.timeMs) return 'out_of_order';
  if ((quote.confidence ?? 0) > quote.price / QUOTE_RULES.maxUnsureShare) return 'unsure';
  return isTooFar(quote, primary) ? 'deviates' : undefined;
}

/** A price kept by a run whose clock was wrong would hold back every later one. */
export function isAhead({ timeMs }: Price, nowMs: number): boolean {
  return timeMs - nowMs > QUOTE_RULES.maxAheadMs;
}

function isTooFar(quote: Quote, primary: Price | undefined): boolean {
  // A simulated market is moved by hand, as far as anybody likes.
  if (primary === undefined || primary.simulated || quote.simulated) return false;
  const { share, withinMs } = quote.source === primary.source ? QUOTE_RULES.leap : QUOTE_RULES.apart;
  if (quote.timeMs - primary.timeMs > withinMs) return false;
  return Math.abs(quote.price - primary.price) > primary.price / share;
}
