// Reads of what has been traded in markets: volume, the last day's volume, last prices.
import { type MarketId, PRICE_SCALE, YES } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { HOUR_SECONDS, MINUTE_SECONDS } from '../candles/candle-model.ts';
import { bytes, exact, integer, named, orNull, toBytes } from '../columns.ts';
import { yesPriceOf } from '../trades/trade-select.ts';
import { MARKET_FIGURES } from './figures-model.ts';
import { rollingDayBefore } from './rolling-day.ts';

export interface MarketFigures {
  /** Sum of the costs of all fills that have not failed. */
  readonly volume: bigint;
  /** The same of trades younger than a day. */
  readonly volume24h: bigint;
  readonly tradeCount: number;
  /** Price of the last trade of either outcome; 0 before the first. */
  readonly lastPrice: number;
  /** YES price of the last trade: its price, or what a NO trade leaves of 1; 0 before the first. */
  readonly lastYesPrice: number;
  /** The last one, in terms of YES, that is a day old, or the first of a younger market; null before the first. */
  readonly dayAgoYesPrice: number | null;
}

const FIGURES = new Selection({
  ...MARKET_FIGURES.columns,
  marketId: named('id', bytes<MarketId>()),
  whole: exact(),
  part: exact(),
  dayAgo: orNull(integer()),
});

/** Markets without a trade are left out. The day is exact to the trade. */
export async function listMarketFigures(
  sql: Sql,
  nowMs: number,
  marketIds: readonly MarketId[],
): Promise<Map<MarketId, MarketFigures>> {
  const { sinceMs, firstMinute, firstHour } = rollingDayBefore(nowMs);
  const ofMarket = sql`t.market_seq = m.seq and t.stage <> 'failed'`;
  const rows = await sql`select m.id, f.*, whole.volume as whole, part.volume as part,
      coalesce(before.price, first.price) as day_ago
    from presage_view.markets m join presage_view.market_figures f on f.market_seq = m.seq
    cross join lateral (select coalesce(sum(volume), 0) as volume from presage_view.candles
      where market_seq = m.seq and (seconds = ${HOUR_SECONDS} and start >= ${firstHour}
        or seconds = ${MINUTE_SECONDS} and start >= ${firstMinute} and start < ${firstHour})) whole
    cross join lateral (select coalesce(sum(cost), 0) as volume from presage_view.trades
      where market_seq = m.seq and stage <> 'failed'
      and time_ms > ${sinceMs} and time_ms < ${firstMinute * 1_000}) part
    left join lateral (select ${yesPriceOf(sql)} as price from presage_view.trades t
      where ${ofMarket} and t.time_ms <= ${sinceMs} order by t.time_ms desc, t.seq desc limit 1) before on true
    left join lateral (select ${yesPriceOf(sql)} as price from presage_view.trades t
      where ${ofMarket} order by t.time_ms, t.seq limit 1) first on true
    where m.id = any(${sql.typed.byteas(marketIds.map(toBytes))})`;
  return new Map(rows.map(toFigures));
}

function toFigures(row: Row): [MarketId, MarketFigures] {
  const { marketId, volume, whole, part, tradeCount, lastPrice, lastOutcome, dayAgo } = FIGURES.read(row);
  const price = lastPrice ?? 0;
  const lastYesPrice = lastPrice === null || lastOutcome === YES ? price : PRICE_SCALE - price;
  const figures = { volume, volume24h: whole + part, tradeCount, lastPrice: price, lastYesPrice };
  return [marketId, { ...figures, dayAgoYesPrice: dayAgo }];
}
