// Trade ids: unique over all markets of a service, and counted per market.

/** Digits of the market's id in front of the counter. */
const PREFIX_DIGITS = 16;

/** 16 hex digits of the market and its trade counter: short enough to read aloud, with 2^64 market prefixes. */
export function toTradeId({ tradePrefix }: { readonly tradePrefix: string }, count: number): string {
  return `${tradePrefix}${count}`;
}

export function toTradePrefix(marketId: string): string {
  return `${marketId.slice(2, 2 + PREFIX_DIGITS)}-`;
}

/** The counter of a trade in its market. */
export function countOf(tradeId: string): number {
  return Number(tradeId.slice(PREFIX_DIGITS + 1));
}
