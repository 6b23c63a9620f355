// Rewards for resting orders near the middle of a market: size times time, computed from the records of the public journal alone.
import {
  type Address,
  BUY,
  isEngineEvent,
  type JournalRecord,
  type MarketId,
  NO,
  type OrderHash,
  type Outcome,
  SELL,
  type Side,
  toChecksumAddress,
  YES,
} from '@presage/protocol';

export interface RewardTerms {
  readonly marketId: MarketId;
  /** Range in milliseconds of the journal's clock; `toMs` is exclusive. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Length of an epoch; the last one ends with the range. */
  readonly epochMs: number;
  /** Greatest distance of an order from the middle, in millionths. */
  readonly spread: number;
  /**
   * Size that a price needs in total to count as the best one, and a wallet on a side of a book to be rewarded;
   * millionths of a share.
   */
  readonly minSize: bigint;
  /** Most that an epoch pays, in millionths. */
  readonly pool: bigint;
}

export interface Reward {
  readonly wallet: Address;
  /** Millionths of a share times milliseconds. */
  readonly score: bigint;
  /** Share of the pool by score, in millionths, rounded down. */
  readonly amount: bigint;
}

export interface RewardEpoch {
  readonly fromMs: number;
  readonly toMs: number;
  /** Highest reward first, then by address. */
  readonly rewards: readonly Reward[];
  readonly paid: bigint;
}

interface RestingOrder {
  readonly trader: Address;
  readonly outcome: Outcome;
  readonly side: Side;
  readonly price: number;
  remaining: bigint;
}

/** Takes the records of a partition in order and computes each wallet's reward in every epoch. */
export class RewardCount {
  readonly #terms: RewardTerms;
  /** Every accepted order: a failed fill may restore one. */
  readonly #orders = new Map<OrderHash, RestingOrder>();
  readonly #resting = new Set<RestingOrder>();
  /** Score of each wallet, by epoch. */
  readonly #scores: Map<Address, bigint>[] = [];
  /** Size of each wallet that counts now; undefined after the books changed. */
  #counted: ReadonlyMap<Address, bigint> | undefined;
  #nowMs = 0;

  constructor(terms: RewardTerms) {
    const { epochMs, fromMs, toMs, minSize, spread } = terms;
    if (epochMs < 1 || toMs <= fromMs || minSize < 1n || spread < 0)
      throw new RangeError('rewards need a range, epochs and a least size');
    this.#terms = terms;
  }

  /** Adds the next record of the partition; records of other markets change nothing. */
  add(record: JournalRecord): void {
    if (!isEngineEvent(record) || record.marketId !== this.#terms.marketId) return;
    this.reach(record.timeMs);
    if (this.#change(record)) this.#counted = undefined;
  }

  /** Advances the journal's clock: the resting orders have rested until this time. */
  reach(timeMs: number): void {
    const { fromMs, toMs } = this.#terms;
    const [start, end] = [Math.max(this.#nowMs, fromMs), Math.min(timeMs, toMs)];
    if (end > start) this.#score(start, end);
    this.#nowMs = Math.max(this.#nowMs, timeMs);
  }

  /** Time that the journal has reached; epochs that end later are not final. */
  get reachedMs(): number {
    return this.#nowMs;
  }

  epochs(): RewardEpoch[] {
    const { fromMs, toMs, epochMs, pool } = this.#terms;
    const count = Math.ceil((toMs - fromMs) / epochMs);
    return Array.from({ length: count }, (_, index) => {
      const rewards = shareOut(this.#scores[index] ?? new Map(), pool);
      const start = fromMs + index * epochMs;
      const paid = rewards.reduce((sum, { amount }) => sum + amount, 0n);
      return { fromMs: start, toMs: Math.min(start + epochMs, toMs), rewards, paid };
    });
  }

  #score(startMs: number, endMs: number): void {
    this.#counted ??= this.#count();
    if (this.#counted.size === 0) return;
    const { fromMs, epochMs } = this.#terms;
    for (let at = startMs; at < endMs; ) {
      const index = Math.floor((at - fromMs) / epochMs);
      const until = Math.min(endMs, fromMs + (index + 1) * epochMs);
      this.#scores[index] ??= new Map();
      for (const [wallet, size] of this.#counted) add(this.#scores[index], wallet, size * BigInt(until - at));
      at = until;
    }
  }

  /** Returns whether the record changed the resting orders. */
  #change(record: JournalRecord): boolean {
    if (record.type === 'order-accepted') {
      const { trader, outcome, side, price, size } = record.order;
      this.#orders.set(record.orderHash, { trader, outcome, side, price, remaining: 0n });
      this.#take(record.orderHash, -size);
    } else if (record.type === 'trade-matched') {
      this.#take(record.makerHash, record.size);
      this.#take(record.takerHash, record.size);
    } else if (record.type === 'order-cancelled') this.#take(record.orderHash, record.remainingSize);
    else if (record.type === 'order-restored') this.#take(record.orderHash, -record.size);
    else return false;
    return true;
  }

  #take(orderHash: OrderHash, size: number): void {
    const order = this.#orders.get(orderHash);
    if (order === undefined) return;
    order.remaining -= BigInt(size);
    if (order.remaining > 0n) this.#resting.add(order);
    else this.#resting.delete(order);
  }

  /** Size of each wallet's orders within the spread, in both books. */
  #count(): Map<Address, bigint> {
    const counted = new Map<Address, bigint>();
    const resting = [...this.#resting];
    for (const outcome of [YES, NO] as const)
      this.#countBook(
        resting.filter((order) => order.outcome === outcome),
        counted,
      );
    return counted;
  }

  #countBook(orders: readonly RestingOrder[], counted: Map<Address, bigint>): void {
    const { minSize, spread } = this.#terms;
    const [bid, ask] = [bestOf(orders, BUY, minSize), bestOf(orders, SELL, minSize)];
    // Without two sides there is no middle.
    if (bid === undefined || ask === undefined) return;
    const near = orders.filter(({ price }) => Math.abs(2 * price - bid - ask) <= 2 * spread);
    for (const side of [BUY, SELL]) {
      const sizes = new Map<Address, bigint>();
      for (const order of near) if (order.side === side) add(sizes, order.trader, order.remaining);
      for (const [wallet, size] of sizes) if (size >= minSize) add(counted, wallet, size);
    }
  }
}

/** The best price with at least the minimum size in total: tiny orders do not move the middle. */
function bestOf(orders: readonly RestingOrder[], side: Side, minSize: bigint): number | undefined {
  const levels = new Map<number, bigint>();
  for (const order of orders) if (order.side === side) add(levels, order.price, order.remaining);
  const prices = [...levels].filter(([, size]) => size >= minSize).map(([price]) => price);
  if (prices.length === 0) return undefined;
  return prices.reduce((best, price) => (side === BUY ? Math.max(best, price) : Math.min(best, price)));
}

function add<Key>(sums: Map<Key, bigint>, key: Key, value: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + value);
}

/** Each reward is rounded down, so that their sum is at most the pool. */
function shareOut(scores: ReadonlyMap<Address, bigint>, pool: bigint): Reward[] {
  const total = [...scores.values()].reduce((sum, score) => sum + score, 0n);
  const rewards = [...scores].map(([wallet, score]) => ({
    wallet: toChecksumAddress(wallet),
    score,
    amount: (pool * score) / total,
  }));
  return rewards.sort((a, b) => (a.score === b.score ? (a.wallet < b.wallet ? -1 : 1) : a.score > b.score ? -1 : 1));
}
