// Trade ids: unique over all markets of a service, and counted per market.

/** Of a market's id, in front of the counter. */
const PREFIX_DIGITS = 16;

/** 16 hex digits of the market and its trade counter: short enough to read aloud, with 2^64 market prefixes. */
export function toTradeId({ tradePrefix }: { readonly tradePrefix: string }, count: number): string {
  return `${tradePrefix}${count}`;
}

export function toTradePrefix(marketId: string): string {
  return `${marketId.slice(2, 2 + PREFIX_DIGITS)}-`;
}

/** The remembered trades of a market, oldest first. By their counter: the id of a new trade need not be read to the end to be hashed. */
export class TradeMap<Trade extends { readonly tradeId: string }> {
  readonly #byCount = new Map<number, Trade>();

  get size(): number {
    return this.#byCount.size;
  }

  get(tradeId: string): Trade | undefined {
    const trade = this.#byCount.get(countOf(tradeId));
    return trade?.tradeId === tradeId ? trade : undefined;
  }

  add(trade: Trade, count = countOf(trade.tradeId)): void {
    this.#byCount.set(count, trade);
  }

  delete(trade: Trade): void {
    this.#byCount.delete(countOf(trade.tradeId));
  }

  values(): IterableIterator<Trade> {
    return this.#byCount.values();
  }
}

function countOf(tradeId: string): number {
  return Number(tradeId.slice(PREFIX_DIGITS + 1));
}
