// Trade ids: unique over all markets of a service, and counted per market.
import type { MarketRecord } from './records.ts';

/** 16 hex digits of the market and its trade counter: short enough to read aloud, with 2^64 market prefixes. */
export function toTradeId(market: MarketRecord, count: number): string {
  return `${market.id.slice(2, 18)}-${count}`;
}
