// Reads of market figures: volume in total and of the last day, last prices.
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
  /** Sum of the costs of such fills in the last day. */
  readonly volume24h: bigint;
  readonly tradeCount: number;
  /** Price of the last trade of either outcome; 0 before the first trade. */
  readonly lastPrice: number;
  /** YES price of the last trade, which for a NO trade is 1 less its price; 0 before the first trade. */
  readonly lastYesPrice: number;
  /** YES price a day ago, or the first price of a younger market; null before the first trade. */
  readonly dayAgoYesPrice: number | null;
}

const FIGURES = new Selection({
  ...MARKET_FIGURES.columns,
  marketId: named('id', bytes<MarketId>()),
  whole: exact(),
  part: exact(),
  dayAgo: orNull(integer()),
});

/** Figures of the given markets that have a trade. The last day is exact to the trade. */
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
