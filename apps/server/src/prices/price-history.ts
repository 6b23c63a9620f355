// The last twenty minutes of an asset's prices, in memory, oldest first.
import { LIMITS } from '@presage/protocol';
import type { Price } from './ports.ts';

const KEPT_MS = LIMITS.priceHistorySeconds * 1_000;
/** Old prices kept before they are dropped in bulk: a shift for each new price would move the whole list. */
const SLACK = 256;

export class PriceHistory {
  #prices: Price[];

  constructor(prices: readonly Price[]) {
    this.#prices = [...prices];
  }

  get last(): Price | undefined {
    return this.#prices.at(-1);
  }

  push(price: Price): void {
    this.#prices.push(price);
    if (this.#prices.length > LIMITS.priceHistorySeconds + SLACK) this.#prices = this.within(price.timeMs);
  }

  /** Whether there is a price in [fromMs, toMs). */
  hasBetween(fromMs: number, toMs: number): boolean {
    const next = this.#prices[this.#after(fromMs - 1)];
    return next !== undefined && next.timeMs < toMs;
  }

  /** Inserts missing older prices; skips seconds that already have one. */
  insert(prices: readonly Price[]): void {
    const known = new Set(this.#prices.map(({ timeMs }) => timeMs));
    const added = prices.filter(({ timeMs }) => !known.has(timeMs));
    if (added.length > 0) this.#prices = [...this.#prices, ...added].sort((a, b) => a.timeMs - b.timeMs);
  }

  /** Prices of the twenty minutes before a time. */
  within(nowMs: number): Price[] {
    return this.#prices.slice(this.#after(nowMs - KEPT_MS - 1));
  }

  /** Prices later than the one at `timeMs`; undefined if that one is no longer kept. */
  since(timeMs: number, nowMs: number): Price[] | undefined {
    const start = this.#after(timeMs);
    const known = this.#prices[start - 1];
    return known?.timeMs === timeMs && timeMs >= nowMs - KEPT_MS ? this.#prices.slice(start) : undefined;
  }

  /** Index of the first price later than a time. */
  #after(timeMs: number): number {
    let [low, high] = [0, this.#prices.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#prices[middle]!.timeMs <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
