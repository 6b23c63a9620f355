// The state as it is at one moment, for as long as it takes to write it down: what changes meanwhile is copied before it does.
import type { Address, MarketResolution } from '@presage/protocol/engine-types';
import type { MarketOfLine, OrderOfLine } from './checkpoint-lines.ts';
import type { NonceSet } from './memory/nonce-set.ts';
import type { OrderIndex } from './memory/order-index.ts';
import { byMarketId, bySequence, type MarketRecord, type OrderRecord, type TradeRecord } from './records.ts';

export interface TakenMarket extends MarketOfLine {
  readonly resolution: MarketResolution | undefined;
  /** Spent nonces by wallet. */
  readonly spent: readonly { readonly trader: Address; readonly spent: NonceSet }[];
  /** Trades in their current state; `TakenState.tradeOf` has the earlier one. */
  readonly trades: readonly TradeRecord[];
}

/** What is taken of the engine's state. */
interface Whole {
  readonly sequence: number;
  readonly markets: { values(): Iterable<MarketRecord> };
  readonly memory: { readonly orders: OrderIndex<OrderRecord> };
}

/** Where whoever writes it down may let others do something: between two of these nothing takes long. */
export const PAUSE = undefined;
type Paused<T> = Generator<T | typeof PAUSE>;
/** Objects looked at before the next pause, and orders sorted at once, about. */
const AT_ONCE = 1_024;

export class TakenState {
  readonly #lastSequence: number;
  readonly #places: readonly (OrderRecord | undefined)[];
  readonly #taken: readonly [MarketRecord, TakenMarket][];
  /** Earlier state of the orders that have changed since. */
  readonly #orders = new Map<OrderRecord, OrderOfLine>();
  readonly #trades = new Map<TradeRecord, TradeRecord>();

  constructor(state: Whole) {
    this.#lastSequence = state.sequence;
    this.#places = state.memory.orders.places();
    this.#taken = Array.from(state.markets.values(), (market) => [market, takeMarket(market)]);
  }

  /** Before it changes. */
  keepOrder(order: OrderRecord): void {
    if (order.sequence <= this.#lastSequence && !this.#orders.has(order)) this.#orders.set(order, takeOrder(order));
  }

  /** Before it changes. */
  keepTrade(trade: TradeRecord): void {
    if (!this.#trades.has(trade)) this.#trades.set(trade, { ...trade });
  }

  tradeOf(trade: TradeRecord): TradeRecord {
    return this.#trades.get(trade) ?? trade;
  }

  /** Markets by id, with their orders in arrival order. */
  *markets(): Paused<[TakenMarket, OrderRecord[]]> {
    const orders = new Map<MarketRecord, OrderRecord[]>();
    for (const [index, order] of this.#places.entries()) {
      if (order !== undefined) pushTo(orders, order);
      if (index % AT_ONCE === 0) yield PAUSE;
    }
    for (const [record, market] of this.#taken.toSorted(([a], [b]) => byMarketId(a, b))) {
      yield [market, orders.get(record) ?? []];
    }
  }

  /** Orders by sequence, in their earlier state. */
  *ordersOf(orders: readonly OrderRecord[]): Paused<OrderOfLine> {
    for (const order of inSequence(orders)) yield order === PAUSE ? PAUSE : (this.#orders.get(order) ?? order);
  }
}

/** Orders of each market by sequence. */
export function ordersByMarket(state: Whole): Map<MarketRecord, OrderRecord[]> {
  const byMarket = new Map<MarketRecord, OrderRecord[]>();
  for (const order of state.memory.orders.values()) pushTo(byMarket, order);
  for (const orders of byMarket.values()) orders.sort(bySequence);
  return byMarket;
}

function pushTo(byMarket: Map<MarketRecord, OrderRecord[]>, order: OrderRecord): void {
  const orders = byMarket.get(order.market);
  if (orders === undefined) byMarket.set(order.market, [order]);
  else orders.push(order);
}

/** Few at a time: first into groups by where they stand between the lowest and the highest, then each group by itself. */
function* inSequence(orders: readonly OrderRecord[]): Paused<OrderRecord> {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { sequence } of orders) {
    if (sequence < lowest) lowest = sequence;
    if (sequence > highest) highest = sequence;
  }
  const count = Math.ceil(orders.length / AT_ONCE);
  const groups = Array.from({ length: count }, (): OrderRecord[] => []);
  const width = (highest - lowest + 1) / count;
  for (const [index, order] of orders.entries()) {
    groups[Math.floor((order.sequence - lowest) / width)]!.push(order);
    if (index % AT_ONCE === 0) yield PAUSE;
  }
  for (const group of groups) yield* group.sort(bySequence);
}

function takeMarket(market: MarketRecord): TakenMarket {
  const { closeReason, step, tradeCount, updatedMs, facts, resolution } = market;
  const trades = market.trades.size === 0 ? [] : [...market.trades.values()];
  return { closeReason, step, tradeCount, updatedMs, facts, resolution, spent: takeSpent(market), trades };
}

function takeOrder(order: OrderRecord): OrderOfLine {
  const { accepted, sequence, filled, status, isNonceSpent, firstStatus, lastFirstFill } = order;
  return { accepted, sequence, filled, status, isNonceSpent, firstStatus, lastFirstFill };
}

function takeSpent(market: MarketRecord): TakenMarket['spent'] {
  const taken: { trader: Address; spent: NonceSet }[] = [];
  for (const { trader, spent } of market.accounts.values()) {
    if (spent !== undefined) taken.push({ trader, spent: spent.copy() });
  }
  return taken.sort((a, b) => (a.trader < b.trader ? -1 : 1));
}
