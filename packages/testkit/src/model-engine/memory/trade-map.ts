// The remembered trades of a market, oldest first, in pages: a trade is added to the page of the previous one without a
// look-up.
/** Digits of the market's id before the counter. */
const PREFIX_DIGITS = 16;

/**
 * Id of a trade: 16 hex digits of the market and its trade counter; short enough to read aloud, with 2^64 market
 * prefixes.
 */
export function toTradeId({ tradePrefix }: { readonly tradePrefix: string }, count: number): string {
  return `${tradePrefix}${count}`;
}

export function toTradePrefix(marketId: string): string {
  return `${marketId.slice(2, 2 + PREFIX_DIGITS)}-`;
}

/** Counter of a trade in its market. */
function countOf(tradeId: string): number {
  return Number(tradeId.slice(PREFIX_DIGITS + 1));
}

/** Trades per page; small, since most markets have few trades. */
const PAGE = 16;

type Page<Trade> = (Trade | undefined)[];

/** Trades by counter, so that a new id need not be hashed as a whole. Counters only grow, so pages are in order. */
export class TradeMap<Trade extends { readonly fill: { readonly tradeId: string } }> {
  readonly #pages = new Map<number, Page<Trade>>();
  /** The newest page, and its number. */
  #newest: Page<Trade> | undefined = undefined;
  #newestNumber = -1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(tradeId: string): Trade | undefined {
    const count = countOf(tradeId);
    const trade = this.#pages.get(pageOf(count))?.[count % PAGE];
    return trade?.fill.tradeId === tradeId ? trade : undefined;
  }

  add(trade: Trade, count = countOf(trade.fill.tradeId)): void {
    this.#pageFor(pageOf(count))[count % PAGE] = trade;
    this.#size++;
  }

  delete(trade: Trade): void {
    const count = countOf(trade.fill.tradeId);
    const number = pageOf(count);
    const page = this.#pages.get(number);
    if (page?.[count % PAGE] !== trade) return;
    page[count % PAGE] = undefined;
    this.#size--;
    if (page.every((each) => each === undefined)) this.#drop(number);
  }

  *values(): Generator<Trade> {
    for (const page of this.#pages.values()) {
      for (const trade of page) if (trade !== undefined) yield trade;
    }
  }

  #pageFor(number: number): Page<Trade> {
    if (this.#newest !== undefined && number === this.#newestNumber) return this.#newest;
    const page = this.#pages.get(number) ?? new Array<Trade | undefined>(PAGE).fill(undefined);
    this.#pages.set(number, page);
    this.#newest = page;
    this.#newestNumber = number;
    return page;
  }

  #drop(number: number): void {
    this.#pages.delete(number);
    if (number === this.#newestNumber) this.#newest = undefined;
  }
}

function pageOf(count: number): number {
  return Math.floor(count / PAGE);
}
