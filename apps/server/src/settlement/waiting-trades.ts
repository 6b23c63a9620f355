// Trades that wait to be sent, in the order they were matched, no matter how often they return.
import type { TradeView } from '@presage/engine';
import type { MarketId } from '@presage/protocol';

export interface WaitingTrade {
  readonly marketId: MarketId;
  readonly tradeId: string;
}

export class WaitingTrades {
  /** Order of arrival of every trade that may still return. */
  readonly #ranks = new Map<string, number>();
  #waiting = new Map<string, WaitingTrade>();
  #next = 0;
  #sorted = true;

  get size(): number {
    return this.#waiting.size;
  }

  has(tradeId: string): boolean {
    return this.#waiting.has(tradeId);
  }

  get(tradeId: string): WaitingTrade | undefined {
    return this.#waiting.get(tradeId);
  }

  add({ marketId, tradeId }: WaitingTrade): void {
    const rank = this.#ranks.get(tradeId);
    // A returning trade is older than those that came since: causal order is by first arrival.
    if (rank === undefined) this.#ranks.set(tradeId, this.#next++);
    else this.#sorted = false;
    this.#waiting.set(tradeId, { marketId, tradeId });
  }

  /** Removes a trade that is being sent; it may return. */
  take(tradeId: string): void {
    this.#waiting.delete(tradeId);
  }

  /** Removes a trade that is final. */
  remove(tradeId: string): void {
    this.#waiting.delete(tradeId);
    this.#ranks.delete(tradeId);
  }

  /** Yields trades one by one, so that a caller that needs a hundred does not read ten thousand. */
  *inOrder(read: (waiting: WaitingTrade) => TradeView | undefined): Generator<TradeView> {
    if (!this.#sorted) this.#sort();
    for (const waiting of this.#waiting.values()) {
      const trade = read(waiting);
      if (trade === undefined) this.remove(waiting.tradeId);
      else yield trade;
    }
  }

  #sort(): void {
    const rank = (tradeId: string) => this.#ranks.get(tradeId) ?? 0;
    this.#waiting = new Map([...this.#waiting].sort(([a], [b]) => rank(a) - rank(b)));
    this.#sorted = true;
  }
}
