// Read model of figures: volume and number of trades of a market and of a chain, and a market's last price; without failed trades.

import type { MarketId } from '@presage/protocol';
import type { TransactionSql } from '../../store/column-types.ts';
import { BulkStatement, exact, insertInto, integer } from '../bulk-statement.ts';
import { KEPT_SECONDS, startOfSlot } from '../candles/candle-model.ts';
import type { MarketModel } from '../markets/market-model.ts';
import type { TradeState } from '../trades/trade-rows.ts';
import type { TradeStates } from '../trades/trade-states.ts';
import { IGNORED_BY_SUMS, type RecordTable, ViewModel } from '../view-model.ts';

export interface FiguresChange {
  readonly marketSeq: number;
  volume: bigint;
  trades: number;
  /** The newest trade that this transaction brought. */
  last: TradeState | undefined;
}

interface ChainChange {
  readonly chainId: number;
  volume: bigint;
  trades: number;
}

interface VolumeChange {
  readonly chainId: number;
  readonly seconds: number;
  /** Unix seconds. */
  readonly start: number;
  readonly partition: number;
  firstSeq: number;
  lastSeq: number;
  volume: bigint;
}

export const ADD_FIGURES = insertInto<FiguresChange>(
  'market_figures',
  {
    market_seq: integer((row) => row.marketSeq),
    volume: exact((row) => row.volume),
    trade_count: integer((row) => row.trades),
    last_trade_seq: integer((row) => row.last?.seq),
    last_price: integer((row) => row.last?.price),
    last_outcome: integer((row) => row.last?.outcome),
  },
  `on conflict (market_seq) do update set volume = market_figures.volume + excluded.volume,
    trade_count = market_figures.trade_count + excluded.trade_count,
    last_trade_seq = coalesce(excluded.last_trade_seq, market_figures.last_trade_seq),
    last_price = coalesce(excluded.last_price, market_figures.last_price),
    last_outcome = coalesce(excluded.last_outcome, market_figures.last_outcome)`,
);

export const ADD_CHAIN_FIGURES = insertInto<ChainChange>(
  'chain_figures',
  {
    chain_id: integer((row) => row.chainId),
    volume: exact((row) => row.volume),
    trade_count: integer((row) => row.trades),
  },
  `on conflict (chain_id) do update set volume = chain_figures.volume + excluded.volume,
    trade_count = chain_figures.trade_count + excluded.trade_count`,
);

export const ADD_CHAIN_VOLUMES = insertInto<VolumeChange>(
  'chain_volumes',
  {
    chain_id: integer((row) => row.chainId),
    seconds: integer((row) => row.seconds),
    start: integer((row) => row.start),
    partition: integer((row) => row.partition),
    first_seq: integer((row) => row.firstSeq),
    last_seq: integer((row) => row.lastSeq),
    volume: exact((row) => row.volume),
  },
  `on conflict (chain_id, seconds, start, partition) do update set volume = chain_volumes.volume + excluded.volume,
    first_seq = least(chain_volumes.first_seq, excluded.first_seq),
    last_seq = greatest(chain_volumes.last_seq, excluded.last_seq)`,
);

/** After a failure the last trade may be another: asked of the trades themselves, which are written by then. */
const FIND_LAST = new BulkStatement<number>(
  { market_seq: integer((marketSeq) => marketSeq) },
  (source) => `update presage_view.market_figures f
    set last_trade_seq = last.seq, last_price = last.price, last_outcome = last.outcome
    from ${source} left join lateral (
      select t.seq, t.price, t.outcome from presage_view.trades t
      where t.market_seq = given.market_seq and t.status <> 'failed' order by t.time_ms desc, t.seq desc limit 1
    ) last on true where f.market_seq = given.market_seq`,
);

interface FiguresModelOptions {
  readonly markets: MarketModel;
  readonly trades: TradeStates;
  /** Of the journal that the trades come from. */
  readonly partition: number;
}

export class FiguresModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #trades: TradeStates;
  readonly #partition: number;
  readonly #figures = new Map<number, FiguresChange>();
  readonly #chains = new Map<number, ChainChange>();
  readonly #volumes = new Map<string, VolumeChange>();
  /** Markets whose last trade may be another. */
  readonly #withFailures = new Set<number>();

  protected override readonly records: RecordTable = {
    'trade-matched': { apply: ({ tradeId, marketId }) => this.#count(this.#trades.find(tradeId), marketId) },
    'trade-failed': { apply: ({ tradeId, marketId }) => this.#uncount(this.#trades.find(tradeId), marketId) },
    ...IGNORED_BY_SUMS,
  };

  constructor({ markets, trades, partition }: FiguresModelOptions) {
    super();
    this.#markets = markets;
    this.#trades = trades;
    this.#partition = partition;
  }

  /** After the trades. */
  override async write(sql: TransactionSql): Promise<void> {
    await Promise.all([
      ADD_FIGURES.run(sql, [...this.#figures.values()]),
      ADD_CHAIN_FIGURES.run(sql, [...this.#chains.values()]),
      ADD_CHAIN_VOLUMES.run(sql, [...this.#volumes.values()]),
      FIND_LAST.run(sql, [...this.#withFailures]),
    ]);
  }

  #count(trade: TradeState, marketId: MarketId): void {
    this.#addToMarket(trade.marketSeq, trade.cost, 1).last = trade;
    this.#addToChain(this.#markets.chainOf(marketId), trade, trade.cost, 1);
  }

  /** A failed trade leaves the figures as if it had never been. */
  #uncount(trade: TradeState, marketId: MarketId): void {
    this.#addToMarket(trade.marketSeq, -trade.cost, -1);
    this.#addToChain(this.#markets.chainOf(marketId), trade, -trade.cost, -1);
    this.#withFailures.add(trade.marketSeq);
  }

  #addToMarket(marketSeq: number, volume: bigint, trades: number): FiguresChange {
    const figures = this.#figures.get(marketSeq) ?? { marketSeq, volume: 0n, trades: 0, last: undefined };
    this.#figures.set(marketSeq, figures);
    figures.volume += volume;
    figures.trades += trades;
    return figures;
  }

  #addToChain(chainId: number, { seq, timeMs }: TradeState, volume: bigint, trades: number): void {
    const chain = this.#chains.get(chainId) ?? { chainId, volume: 0n, trades: 0 };
    this.#chains.set(chainId, chain);
    chain.volume += volume;
    chain.trades += trades;
    for (const seconds of KEPT_SECONDS) {
      const start = startOfSlot(timeMs, seconds);
      const key = `${chainId}/${seconds}/${start}`;
      const empty = { chainId, seconds, start, partition: this.#partition, firstSeq: seq, lastSeq: seq, volume: 0n };
      const slot = this.#volumes.get(key) ?? empty;
      this.#volumes.set(key, slot);
      slot.firstSeq = Math.min(slot.firstSeq, seq);
      slot.lastSeq = Math.max(slot.lastSeq, seq);
      slot.volume += volume;
    }
  }
}
