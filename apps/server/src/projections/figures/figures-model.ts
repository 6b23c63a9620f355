// Read model of figures: volume and trade count by market and chain, and last prices; without failed trades.
import type { MarketId, Outcome, Price } from '@presage/protocol';
import { BulkStatement } from '../bulk-statement.ts';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { KEPT_SECONDS, MINUTE_SECONDS, startOfSlot } from '../candles/candle-model.ts';
import { changing, exact, integer, orNull, pick, type RowOf } from '../columns.ts';
import type { MarketModel } from '../markets/market-model.ts';
import { added, highest, lowest, replacedIfGiven, Table } from '../table.ts';
import { countRevived, type TradeState, type TradeStates } from '../trades/trade-rows.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';

/** Sums without failed trades. */
const SUMS = { volume: changing(exact()), tradeCount: changing(integer()) };

export const MARKET_FIGURES = new Table('market_figures', {
  marketSeq: integer(),
  ...SUMS,
  lastTradeSeq: changing(orNull(integer())),
  lastPrice: changing(orNull(integer<Price>('integer'))),
  lastOutcome: changing(orNull(integer<Outcome>('smallint'))),
});
const ADD_FIGURES = MARKET_FIGURES.upsert(['marketSeq'], {
  volume: added,
  tradeCount: added,
  lastTradeSeq: replacedIfGiven,
  lastPrice: replacedIfGiven,
  lastOutcome: replacedIfGiven,
});

export const CHAIN_FIGURES = new Table('chain_figures', { chainId: integer(), ...SUMS });
const ADD_CHAIN_FIGURES = CHAIN_FIGURES.upsert(['chainId'], { volume: added, tradeCount: added });

export const CHAIN_VOLUMES = new Table('chain_volumes', {
  chainId: integer(),
  seconds: integer('integer'),
  /** Unix seconds. */
  start: integer(),
  partition: integer('smallint'),
  firstSeq: changing(integer()),
  lastSeq: changing(integer()),
  volume: changing(exact()),
});
const ADD_CHAIN_VOLUMES = CHAIN_VOLUMES.upsert(['chainId', 'seconds', 'start', 'partition'], {
  volume: added,
  firstSeq: lowest,
  lastSeq: highest,
});

type MarketFigures = RowOf<typeof MARKET_FIGURES.columns>;
type ChainVolume = RowOf<typeof CHAIN_VOLUMES.columns>;

interface ChainSums {
  readonly figures: RowOf<typeof CHAIN_FIGURES.columns>;
  /** Volumes by `toSlotKey`. */
  readonly slots: Map<number, ChainVolume>;
}

/** Reads the last trade from the trades, which are already written: after a failure it may be another one. */
const FIND_LAST = new BulkStatement(
  pick(MARKET_FIGURES.columns, 'marketSeq'),
  (source) => `update presage_view.market_figures f
    set last_trade_seq = last.seq, last_price = last.price, last_outcome = last.outcome
    from ${source} left join lateral (
      select t.seq, t.price, t.outcome from presage_view.trades t
      where t.market_seq = given.market_seq and t.stage <> 'failed' order by t.time_ms desc, t.seq desc limit 1
    ) last on true where f.market_seq = given.market_seq`,
);

export class FiguresModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #trades: TradeStates;
  /** Partition of the journal that the trades come from. */
  readonly #partition: number;
  readonly #figures = new Map<number, MarketFigures>();
  readonly #chains = new Map<number, ChainSums>();
  /** Markets whose last trade may have changed. */
  readonly #withFailures = new Set<number>();

  protected override readonly records: RecordTable = {
    'trade-matched': { apply: ({ tradeId, marketId }) => this.#count(this.#trades.find(tradeId), marketId) },
    'trade-failed': { apply: ({ tradeId, marketId }) => this.#uncount(this.#trades.find(tradeId), marketId) },
    'trade-revived': { apply: ({ tradeId, marketId }) => this.#recount(this.#trades.find(tradeId), marketId) },
    'trade-moved': IGNORED.record,
    ...IGNORED.besidesTrades,
  };

  constructor(markets: MarketModel, trades: TradeStates, partition: number) {
    super();
    this.#markets = markets;
    this.#trades = trades;
    this.#partition = partition;
  }

  /** Runs after the trades are written. */
  override async write(sql: BulkTransaction): Promise<void> {
    const chains = [...this.#chains.values()];
    await Promise.all([
      ADD_FIGURES.run(sql, [...this.#figures.values()]),
      ADD_CHAIN_FIGURES.run(
        sql,
        chains.map(({ figures }) => figures),
      ),
      ADD_CHAIN_VOLUMES.run(
        sql,
        chains.flatMap(({ slots }) => [...slots.values()]),
      ),
      FIND_LAST.runEach(sql, [...this.#withFailures]),
    ]);
  }

  #count(trade: TradeState, marketId: MarketId): void {
    const figures = this.#addToMarket(trade.marketSeq, trade.cost, 1);
    figures.lastTradeSeq = trade.seq;
    figures.lastPrice = trade.price;
    figures.lastOutcome = trade.outcome;
    this.#addToChain(this.#markets.chainOf(marketId), trade, trade.cost, 1);
  }

  /** Removes a failed trade from the figures as if it had never existed. */
  #uncount(trade: TradeState, marketId: MarketId): void {
    this.#change(trade, marketId, -1);
  }

  #recount(trade: TradeState, marketId: MarketId): void {
    const change = countRevived(trade);
    if (change !== 0) this.#change(trade, marketId, change);
  }

  #change(trade: TradeState, marketId: MarketId, trades: 1 | -1): void {
    const volume = trade.cost * BigInt(trades);
    this.#addToMarket(trade.marketSeq, volume, trades);
    this.#addToChain(this.#markets.chainOf(marketId), trade, volume, trades);
    this.#withFailures.add(trade.marketSeq);
  }

  #addToMarket(marketSeq: number, volume: bigint, trades: number): MarketFigures {
    const figures = this.#figures.get(marketSeq) ?? this.#beginMarket(marketSeq);
    figures.volume += volume;
    figures.tradeCount += trades;
    return figures;
  }

  #beginMarket(marketSeq: number): MarketFigures {
    const nothing = { volume: 0n, tradeCount: 0, lastTradeSeq: null, lastPrice: null, lastOutcome: null };
    const figures = { marketSeq, ...nothing };
    this.#figures.set(marketSeq, figures);
    return figures;
  }

  #addToChain(chainId: number, trade: TradeState, volume: bigint, trades: number): void {
    const { figures, slots } = this.#chains.get(chainId) ?? this.#beginChain(chainId);
    figures.volume += volume;
    figures.tradeCount += trades;
    for (const seconds of KEPT_SECONDS) {
      const start = startOfSlot(trade.timeMs, seconds);
      const key = toSlotKey(start, seconds);
      const slot = slots.get(key) ?? this.#beginSlot(chainId, trade, seconds, start);
      slots.set(key, slot);
      slot.firstSeq = Math.min(slot.firstSeq, trade.seq);
      slot.lastSeq = Math.max(slot.lastSeq, trade.seq);
      slot.volume += volume;
    }
  }

  #beginChain(chainId: number): ChainSums {
    const sums = { figures: { chainId, volume: 0n, tradeCount: 0 }, slots: new Map<number, ChainVolume>() };
    this.#chains.set(chainId, sums);
    return sums;
  }

  #beginSlot(chainId: number, { seq }: TradeState, seconds: number, start: number): ChainVolume {
    return { chainId, seconds, start, partition: this.#partition, firstSeq: seq, lastSeq: seq, volume: 0n };
  }
}

/** Key of a slot: a start alone is ambiguous, since it is a multiple of either length. */
function toSlotKey(start: number, seconds: number): number {
  return seconds === MINUTE_SECONDS ? start / MINUTE_SECONDS : -start / seconds;
}
