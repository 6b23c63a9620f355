// Reads of a market's prices over time, drawn from its trades.
import type { MarketId, Outcome } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { toBytes } from '../column-values.ts';
import { priceInTermsOf } from '../trades/trade-prices.ts';

export interface CandleQuery {
  readonly marketId: MarketId;
  readonly outcome: Outcome;
  /** Whether trades of the other outcome count too, at 1 - p; else those of this outcome's own book only. */
  readonly isFolded: boolean;
  readonly seconds: number;
  /** Only those that begin before it, Unix seconds. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface CandleRow {
  /** Beginning, Unix seconds: a multiple of the interval. */
  readonly time: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  /** Sum of the costs of its fills. */
  readonly volume: bigint;
}

/**
 * The newest `limit` intervals that have a trade, oldest first, without trades that failed. Steps down the index from one such
 * interval to the next, so that a page costs the trades of its own candles, however long the market has been trading.
 */
export async function listCandles(sql: Sql, query: CandleQuery): Promise<CandleRow[]> {
  const slotMs = query.seconds * 1_000;
  const beforeMs = query.before === undefined ? Number.MAX_SAFE_INTEGER : query.before * 1_000;
  const ofBook = sql`t.market_seq = (select seq from presage_view.markets where id = ${toBytes(query.marketId)})
    and t.status <> 'failed' ${query.isFolded ? sql`` : sql`and t.outcome = ${query.outcome}`}`;
  const price = priceInTermsOf(sql, query.outcome);
  const rows = await sql`with recursive slots(start_ms, place) as (
      (select t.time_ms - t.time_ms % ${slotMs}::bigint, 1 from presage_view.trades t
        where ${ofBook} and t.time_ms < ${beforeMs}::bigint order by t.time_ms desc limit 1)
      union all
      select older.start_ms, slots.place + 1 from slots cross join lateral (
        select t.time_ms - t.time_ms % ${slotMs}::bigint as start_ms from presage_view.trades t
        where ${ofBook} and t.time_ms < slots.start_ms order by t.time_ms desc limit 1
      ) older where slots.place < ${query.limit}::integer
    )
    select slots.start_ms, prices.* from slots cross join lateral (
      select (min(array[t.seq, ${price}]))[2] as open, max(${price}) as high, min(${price}) as low,
        (max(array[t.seq, ${price}]))[2] as close, sum(t.cost) as volume from presage_view.trades t
      where ${ofBook} and t.time_ms >= slots.start_ms and t.time_ms < slots.start_ms + ${slotMs}::bigint
    ) prices order by slots.start_ms`;
  return rows.map(toCandleRow);
}

function toCandleRow(row: Row): CandleRow {
  return {
    time: Number(row.start_ms) / 1_000,
    open: Number(row.open),
    high: row.high,
    low: row.low,
    close: Number(row.close),
    volume: BigInt(row.volume),
  };
}
