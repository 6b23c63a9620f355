// Read model of candles: prices of each outcome by minute and by hour, from which longer candles are combined.
import { NO, type Outcome, YES } from '@presage/protocol';
import { BulkStatement } from '../bulk-statement.ts';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { changing, exact, integer, type RowOf } from '../columns.ts';
import { added, highest, kept, lowest, Table } from '../table.ts';
import type { TradeState, TradeStates } from '../trades/trade-rows.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';

export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3_600;
/** Lengths of the stored candles, shortest first. */
export const KEPT_SECONDS = [MINUTE_SECONDS, HOUR_SECONDS] as const;

const SLOT = {
  marketSeq: integer(),
  outcome: integer<Outcome>('smallint'),
  seconds: integer('integer'),
  /** Unix seconds, a multiple of `seconds`. */
  start: integer(),
};
type Slot = RowOf<typeof SLOT>;

export const CANDLES = new Table('candles', {
  ...SLOT,
  firstSeq: integer(),
  lastSeq: changing(integer()),
  open: integer('integer'),
  high: changing(integer('integer')),
  low: changing(integer('integer')),
  close: changing(integer('integer')),
  volume: changing(exact()),
});
type Candle = RowOf<typeof CANDLES.columns>;

const KEY = ['marketSeq', 'seconds', 'start', 'outcome'] as const;

/** Trades arrive in the order they were matched, so the stored part of a candle is the older one. */
const ADD_CANDLES = CANDLES.upsert(KEY, { firstSeq: kept, open: kept, high: highest, low: lowest, volume: added });

const DELETE_CANDLES = CANDLES.delete(...KEY);

const INSERT_CANDLES = CANDLES.insert();

/**
 * Start of the newest candle of each market listed since the view began to catch up, by `toSeriesKey`: a later candle
 * cannot be in the database yet.
 */
export type CandleEnds = Map<number, number>;

function toSeriesKey(marketSeq: number, outcome: Outcome, seconds: number): number {
  return marketSeq * 4 + outcome * 2 + (seconds === MINUTE_SECONDS ? 0 : 1);
}

/** Computes candles from the trades, which are already written. */
const COMPUTE_CANDLES = new BulkStatement(
  SLOT,
  (source) => `insert into presage_view.candles
      (market_seq, outcome, seconds, start, first_seq, last_seq, open, high, low, close, volume)
    select given.market_seq, given.outcome, given.seconds, given.start, min(t.seq), max(t.seq),
      (min(array[t.seq, t.price]))[2], max(t.price), min(t.price), (max(array[t.seq, t.price]))[2], sum(t.cost)
    from ${source} join presage_view.trades t on t.market_seq = given.market_seq and t.outcome = given.outcome
      and t.time_ms >= given.start * 1000 and t.time_ms < (given.start + given.seconds) * 1000 and t.stage <> 'failed'
    group by given.market_seq, given.outcome, given.seconds, given.start`,
);

export class CandleModel extends ViewModel {
  readonly #trades: TradeStates;
  readonly #ends: CandleEnds;
  readonly #changes = new SlotMap<Candle>();
  /** The last change of each outcome, by `toSeriesKey`. */
  readonly #newest = new Map<number, Candle>();
  /** Candles that are not in the database yet. */
  readonly #created = new Set<Candle>();
  /** Candles to recompute: one of their trades failed, or was settled after it had failed. */
  readonly #stale = new SlotMap<Slot>();

  protected override readonly records: RecordTable = {
    'market-listed': { apply: (_, seq) => this.#begin(seq) },
    'trade-matched': { apply: ({ tradeId }) => this.#add(this.#trades.find(tradeId)) },
    'trade-failed': { apply: ({ tradeId }) => this.#recompute(this.#trades.find(tradeId)) },
    'trade-revived': { apply: ({ tradeId }) => this.#recompute(this.#trades.find(tradeId)) },
    'trade-moved': IGNORED.record,
    'market-closed': IGNORED.record,
    'resolution-changed': IGNORED.record,
    ...IGNORED.orders,
    ...IGNORED.shares,
    ...IGNORED.claims,
    ...IGNORED.others,
  };

  constructor(trades: TradeStates, ends: CandleEnds) {
    super();
    this.#trades = trades;
    this.#ends = ends;
  }

  /** Runs after the trades are written. */
  override async write(sql: BulkTransaction): Promise<void> {
    const stale = this.#stale.all();
    const changes = this.#changes.all().filter((change) => this.#stale.get(change) === undefined);
    await Promise.all([
      INSERT_CANDLES.run(
        sql,
        changes.filter((change) => this.#created.has(change)),
      ),
      ADD_CANDLES.run(
        sql,
        changes.filter((change) => !this.#created.has(change)),
      ),
      DELETE_CANDLES.run(sql, stale),
      COMPUTE_CANDLES.run(sql, stale),
    ]);
  }

  #begin(marketSeq: number): void {
    for (const outcome of [YES, NO] as const) {
      for (const seconds of KEPT_SECONDS) this.#ends.set(toSeriesKey(marketSeq, outcome, seconds), -1);
    }
  }

  #add(trade: TradeState): void {
    const { price } = trade;
    for (const seconds of KEPT_SECONDS) {
      const change = this.#changeOf(trade, seconds);
      change.lastSeq = trade.seq;
      change.close = price;
      if (price > change.high) change.high = price;
      if (price < change.low) change.low = price;
      change.volume += trade.cost;
    }
  }

  /** Most trades fall into the newest candle of their outcome. */
  #changeOf(trade: TradeState, seconds: number): Candle {
    const start = startOfSlot(trade.timeMs, seconds);
    const series = toSeriesKey(trade.marketSeq, trade.outcome, seconds);
    const last = this.#newest.get(series);
    if (last?.start === start) return last;
    const slot: Slot = { marketSeq: trade.marketSeq, outcome: trade.outcome, seconds, start };
    const change = this.#changes.get(slot) ?? this.#create(trade, slot);
    this.#newest.set(series, change);
    return change;
  }

  #create({ seq, price }: TradeState, slot: Slot): Candle {
    // Fields are named one by one: a spread before other fields costs a hundred times as much.
    const change: Candle = {
      marketSeq: slot.marketSeq,
      outcome: slot.outcome,
      seconds: slot.seconds,
      start: slot.start,
      firstSeq: seq,
      lastSeq: seq,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: 0n,
    };
    this.#changes.set(change, change);
    this.#noteEnd(change);
    return change;
  }

  #noteEnd(change: Candle): void {
    const series = toSeriesKey(change.marketSeq, change.outcome, change.seconds);
    const end = this.#ends.get(series);
    if (end === undefined || change.start <= end) return;
    this.#created.add(change);
    this.#ends.set(series, change.start);
  }

  #recompute(trade: TradeState): void {
    const { marketSeq, outcome, timeMs } = trade;
    for (const seconds of KEPT_SECONDS) {
      const slot: Slot = { marketSeq, outcome, seconds, start: startOfSlot(timeMs, seconds) };
      this.#stale.set(slot, slot);
    }
  }
}

/** A map keyed by slot. */
class SlotMap<T> {
  readonly #series = new Map<number, Map<number, T>>();

  get({ marketSeq, outcome, seconds, start }: Slot): T | undefined {
    return this.#series.get(toSeriesKey(marketSeq, outcome, seconds))?.get(start);
  }

  set({ marketSeq, outcome, seconds, start }: Slot, value: T): void {
    const key = toSeriesKey(marketSeq, outcome, seconds);
    const series = this.#series.get(key) ?? new Map<number, T>();
    this.#series.set(key, series.set(start, value));
  }

  all(): T[] {
    return [...this.#series.values()].flatMap((series) => [...series.values()]);
  }
}

/** Unix seconds. */
export function startOfSlot(timeMs: number, seconds: number): number {
  const second = Math.floor(timeMs / 1_000);
  return second - (second % seconds);
}
