// How trades are named: unique over all markets of a service, and counted inside each.
import type { MarketRecord } from './records.ts';

/** 16 hex digits of the market and its trade counter: short enough to read aloud, told apart by 2^64. */
export function toTradeId(market: MarketRecord, count: number): string {
  return `${market.id.slice(2, 18)}-${count}`;
}
