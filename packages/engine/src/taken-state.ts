// The state at one moment, while it is being written: copies of mutable parts, and a hold on immutable ones.
import type { Address, MarketId, MarketResolution } from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { SlabsOfLines } from './checkpoint-lines.ts';
import type { EngineState } from './engine-state.ts';
import type { MarketOfLine } from './market-lines.ts';
import type { MarketRecord } from './records.ts';
import type { RetiredImage, RetiredMarkets } from './retired-markets.ts';
import type { NonceSet } from './slabs/nonce-set.ts';
import { HASH_BYTES } from './slabs/order-record.ts';
import type { OrderSlab } from './slabs/order-slab.ts';
import type { SignedOrders } from './slabs/signed-orders.ts';
import type { TradeSlab } from './slabs/trade-slab.ts';

export interface TakenMarket extends MarketOfLine {
  readonly number: number;
  readonly id: MarketId;
  readonly tradePrefix: string;
  readonly resolution: MarketResolution | undefined;
  /** Spent nonces by wallet. */
  readonly spent: readonly { readonly trader: Address; readonly spent: NonceSet }[];
  readonly firstTrade: number;
  readonly ties: MarketTies;
}

/** Fields that link a market to the slabs. */
export type MarketTies = readonly [
  openCount: number,
  firstAccount: number,
  accountCount: number,
  firstTrade: number,
  lastTrade: number,
  rememberedTrades: number,
];

/** A pause, at which the writer may let other work run: the time between two pauses is short. */
export const PAUSE = undefined;
type Paused<T> = Generator<T | typeof PAUSE>;
/** About the number of orders that are examined, or sorted, between two pauses. */
const AT_ONCE = 1_024;

export class TakenState implements SlabsOfLines {
  readonly sequence: number;
  readonly timeMs: number;
  readonly seq: number;
  readonly signed: SignedOrders;
  readonly orders: OrderSlab;
  readonly trades: TradeSlab;
  /** Upper bound of order handles. */
  readonly used: number;
  readonly accounts: readonly Uint8Array[];
  readonly retired: RetiredMarkets;
  readonly retiredImage: RetiredImage;
  /** Entries of retired markets by number; NONE for others. */
  readonly entries: Int32Array<ArrayBuffer>;
  /** Ids of all markets by number. */
  readonly ids: Uint8Array;
  /** Market number of each account. */
  readonly #marketNumbers: Int32Array;
  readonly #taken: readonly TakenMarket[];

  /** Requires a call of `giveBack` once it is written. */
  constructor(state: EngineState) {
    this.sequence = state.sequence;
    this.timeMs = state.timeMs;
    this.seq = state.seq;
    this.signed = state.signed;
    this.signed.beginReading();
    this.used = state.signed.used;
    this.orders = state.orders.copy(this.used);
    this.trades = state.trades.copy();
    this.accounts = state.accounts.takeImage();
    this.#marketNumbers = state.accounts.markets();
    this.retired = state.markets.retired;
    this.retiredImage = this.retired.image(this.retired.count);
    this.entries = state.markets.takeEntries();
    this.ids = state.markets.ids.bytes.subarray(0, state.markets.size * HASH_BYTES);
    this.#taken = Array.from(state.markets.records(), (market) => takeMarket(state, market));
  }

  giveBack(): void {
    this.signed.endReading();
  }

  /** Markets by id, with their orders in no particular order; for a retired one its entry. */
  *marketsWithOrders(): Paused<[TakenMarket, number[]] | number> {
    const orders = new Map<number, number[]>();
    for (let order = 0; order < this.used; order++) {
      if (this.orders.isPresent(order)) pushTo(orders, this.#marketNumbers[this.orders.account(order)]!, order);
      if (order % AT_ONCE === 0) yield PAUSE;
    }
    const taken = new Map(this.#taken.map((market) => [market.number, market]));
    for (const number of this.#numbersById()) {
      const market = taken.get(number);
      yield market === undefined ? this.entries[number]! : [market, orders.get(number) ?? []];
    }
  }

  /** Markets that are not retired, in the order of their numbers. */
  markets(): readonly TakenMarket[] {
    return this.#taken;
  }

  #numbersById(): number[] {
    const { ids } = this;
    const compare = (a: number, b: number): number => {
      const [from, other] = [a * HASH_BYTES, b * HASH_BYTES];
      for (let at = 0; at < HASH_BYTES; at++) {
        const difference = ids[from + at]! - ids[other + at]!;
        if (difference !== 0) return difference;
      }
      return 0;
    };
    return Array.from(this.entries.keys()).sort(compare);
  }

  /** Sorts in small parts: first into groups by position between the lowest and highest sequence, then each group. */
  *inSequence(orders: readonly number[]): Paused<number> {
    const sequences = Float64Array.from(orders, (order) => this.orders.sequence(order));
    const [lowest, highest] = rangeOf(sequences);
    const count = Math.ceil(orders.length / AT_ONCE);
    const groups = Array.from({ length: count }, (): number[] => []);
    const width = (highest - lowest + 1) / count;
    for (const [index, order] of orders.entries()) {
      groups[Math.floor((sequences[index]! - lowest) / width)]!.push(order);
      if (index % AT_ONCE === 0) yield PAUSE;
    }
    for (const group of groups) yield* group.sort((a, b) => this.orders.sequence(a) - this.orders.sequence(b));
  }

  /** Trades, oldest first. */
  *tradesOf({ firstTrade }: TakenMarket): Generator<number> {
    for (let trade = firstTrade; trade !== NONE; trade = this.trades.next(trade)) yield trade;
  }
}

function pushTo(byMarket: Map<number, number[]>, market: number, order: number): void {
  const orders = byMarket.get(market);
  if (orders === undefined) byMarket.set(market, [order]);
  else orders.push(order);
}

function rangeOf(values: Float64Array): [lowest: number, highest: number] {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  return [lowest, highest];
}

function takeMarket(state: EngineState, market: MarketRecord): TakenMarket {
  const { number, id, closeReason, step, tradeCount, updatedMs, facts, resolution, tradePrefix, firstTrade } = market;
  const spent = takeSpent(state, market);
  return {
    number,
    id,
    closeReason,
    step,
    tradeCount,
    updatedMs,
    facts,
    resolution,
    tradePrefix,
    firstTrade,
    spent,
    ties: tiesOf(market),
  };
}

function tiesOf(market: MarketRecord): MarketTies {
  const { openCount, firstAccount, accountCount, firstTrade, lastTrade, rememberedTrades } = market;
  return [openCount, firstAccount, accountCount, firstTrade, lastTrade, rememberedTrades];
}

const NO_NONCES: TakenMarket['spent'] = [];

function takeSpent({ accounts }: EngineState, market: MarketRecord): TakenMarket['spent'] {
  if (market.firstAccount === NONE) return NO_NONCES;
  const taken: { trader: Address; spent: NonceSet }[] = [];
  for (let account = market.firstAccount; account !== NONE; account = accounts.next(account)) {
    const spent = accounts.spent(account);
    if (spent !== undefined) taken.push({ trader: accounts.trader(account), spent: spent.copy() });
  }
  return taken.sort((a, b) => (a.trader < b.trader ? -1 : 1));
}
