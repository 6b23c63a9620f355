// Read model of a market's figures: volume, number of trades and last price, without those that failed.

import type { TransactionSql } from '../../store/column-types.ts';
import { BulkStatement, exact, insertInto, integer } from '../bulk-statement.ts';
import type { TradeState } from '../trades/trade-rows.ts';
import type { TradeStates } from '../trades/trade-states.ts';
import { IGNORED, OF_OTHER_PARTITIONS, type RecordTable, ViewModel } from '../view-model.ts';

export interface FiguresChange {
  readonly marketSeq: number;
  volume: bigint;
  trades: number;
  /** The newest trade that this transaction brought. */
  last: TradeState | undefined;
}

export interface MinuteChange {
  readonly marketSeq: number;
  readonly minute: number;
  volume: bigint;
}

const MINUTE_MS = 60_000;

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

export const ADD_MINUTES = insertInto<MinuteChange>(
  'market_minutes',
  {
    market_seq: integer((row) => row.marketSeq),
    minute: integer((row) => row.minute),
    volume: exact((row) => row.volume),
  },
  'on conflict (market_seq, minute) do update set volume = market_minutes.volume + excluded.volume',
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

export class FiguresModel extends ViewModel {
  readonly #trades: TradeStates;
  readonly #figures = new Map<number, FiguresChange>();
  readonly #minutes = new Map<string, MinuteChange>();
  /** Markets whose last trade may be another. */
  readonly #withFailures = new Set<number>();

  protected override readonly records: RecordTable = {
    'trade-matched': { apply: ({ tradeId }) => this.#count(this.#trades.find(tradeId)) },
    'trade-failed': { apply: ({ tradeId }) => this.#uncount(this.#trades.find(tradeId)) },
    'market-listed': IGNORED,
    'market-closed': IGNORED,
    'order-accepted': IGNORED,
    'order-cancelled': IGNORED,
    'order-restored': IGNORED,
    'permit-changed': IGNORED,
    'trade-moved': IGNORED,
    'resolution-changed': IGNORED,
    'position-synced': IGNORED,
    'shares-moved': IGNORED,
    'payout-redeemed': IGNORED,
    'chain-rewound': IGNORED,
    'claim-changed': IGNORED,
    ...OF_OTHER_PARTITIONS,
  };

  constructor(trades: TradeStates) {
    super();
    this.#trades = trades;
  }

  /** After the trades. */
  override async write(sql: TransactionSql): Promise<void> {
    await Promise.all([
      ADD_FIGURES.run(sql, [...this.#figures.values()]),
      ADD_MINUTES.run(sql, [...this.#minutes.values()]),
      FIND_LAST.run(sql, [...this.#withFailures]),
    ]);
  }

  #count(trade: TradeState): void {
    this.#add(trade, trade.cost, 1).last = trade;
  }

  /** A failed trade leaves the figures as if it had never been. */
  #uncount(trade: TradeState): void {
    this.#add(trade, -trade.cost, -1);
    this.#withFailures.add(trade.marketSeq);
  }

  #add({ marketSeq, timeMs }: TradeState, volume: bigint, trades: number): FiguresChange {
    const figures = this.#figures.get(marketSeq) ?? { marketSeq, volume: 0n, trades: 0, last: undefined };
    this.#figures.set(marketSeq, figures);
    figures.volume += volume;
    figures.trades += trades;
    const minute = Math.floor(timeMs / MINUTE_MS);
    const key = `${marketSeq}/${minute}`;
    const bucket = this.#minutes.get(key) ?? { marketSeq, minute, volume: 0n };
    this.#minutes.set(key, bucket);
    bucket.volume += volume;
    return figures;
  }
}
