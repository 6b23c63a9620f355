// Reads of price history.
import { type MarketId, type Outcome, PRICE_SCALE } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { integer, named, pick, type RowOf, toBytes } from '../columns.ts';
import { CANDLES, HOUR_SECONDS, MINUTE_SECONDS } from './candle-model.ts';

export interface CandleQuery {
  readonly marketId: MarketId;
  readonly outcome: Outcome;
  /** Whether trades of the other outcome count too, at 1 - p; otherwise only trades in this outcome's own book. */
  readonly isFolded: boolean;
  readonly seconds: number;
  /** Restricts the list to candles that begin before this Unix second. */
  readonly before?: number | undefined;
  readonly limit: number;
}

const CANDLE_ROWS = new Selection({
  /** Unix seconds, a multiple of the interval. */
  time: named('start', integer()),
  ...pick(CANDLES.columns, 'open', 'high', 'low', 'close', 'volume'),
});
export type CandleRow = Readonly<RowOf<typeof CANDLE_ROWS.columns>>;

/**
 * The newest `limit` intervals that have a trade, oldest first, without failed trades. Steps along the index of the
 * stored candles from one interval to the next, so the cost depends on the page and not on the volume traded.
 */
export async function listCandles(sql: Sql, query: CandleQuery): Promise<CandleRow[]> {
  const { outcome, seconds } = query;
  const before = query.before ?? Number.MAX_SAFE_INTEGER;
  const kept = seconds % HOUR_SECONDS === 0 ? HOUR_SECONDS : MINUTE_SECONDS;
  const ofBook = sql`c.market_seq = (select seq from presage_view.markets where id = ${toBytes(query.marketId)})
    and c.seconds = ${kept} ${query.isFolded ? sql`` : sql`and c.outcome = ${outcome}`}`;
  // In terms of the requested outcome: a high of one is a low of the other.
  const inTerms = (own: 'open' | 'high' | 'low' | 'close', other: 'open' | 'high' | 'low' | 'close') =>
    sql`case when c.outcome = ${outcome} then c.${sql(own)} else ${PRICE_SCALE}::integer - c.${sql(other)} end`;
  const rows = await sql`with recursive slots(start, place) as (
      (select c.start - c.start % ${seconds}::bigint, 1 from presage_view.candles c
        where ${ofBook} and c.start < ${before}::bigint order by c.start desc limit 1)
      union all
      select older.start, slots.place + 1 from slots cross join lateral (
        select c.start - c.start % ${seconds}::bigint as start from presage_view.candles c
        where ${ofBook} and c.start < slots.start order by c.start desc limit 1
      ) older where slots.place < ${query.limit}::integer
    )
    select slots.start, prices.* from slots cross join lateral (
      select (min(array[c.first_seq, ${inTerms('open', 'open')}]))[2] as open, max(${inTerms('high', 'low')}) as high,
        min(${inTerms('low', 'high')}) as low, (max(array[c.last_seq, ${inTerms('close', 'close')}]))[2] as close,
        sum(c.volume) as volume from presage_view.candles c
      where ${ofBook} and c.start >= slots.start and c.start < slots.start + ${seconds}::bigint
    ) prices order by slots.start`;
  return rows.map(CANDLE_ROWS.read);
}
