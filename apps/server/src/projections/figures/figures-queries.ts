// Reads of what has been traded in markets: volume, the last day's volume, last prices.
import { type MarketId, PRICE_SCALE, YES } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../column-values.ts';

export interface MarketFigures {
  /** Sum of the costs of all fills that have not failed. */
  readonly volume: bigint;
  /** The same of trades younger than a day. */
  readonly volume24h: bigint;
  readonly tradeCount: number;
  /** Of the last trade, whichever outcome; 0 before the first. */
  readonly lastPrice: number;
  /** What the last trade says about YES: its price, or what a NO trade leaves of 1; 0 before the first. */
  readonly lastYesPrice: number;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Markets without a trade are left out. The day is exact: whole minutes from their sums, the first one trade by trade. */
export async function listMarketFigures(
  sql: Sql,
  marketIds: readonly MarketId[],
  nowMs: number,
): Promise<Map<MarketId, MarketFigures>> {
  const sinceMs = nowMs - DAY_MS;
  const firstMinute = Math.floor(sinceMs / MINUTE_MS);
  const rows = await sql`select m.id, f.*, whole.volume as whole, part.volume as part
    from presage_view.markets m join presage_view.market_figures f on f.market_seq = m.seq
    cross join lateral (select coalesce(sum(volume), 0) as volume from presage_view.market_minutes
      where market_seq = m.seq and minute > ${firstMinute}) whole
    cross join lateral (select coalesce(sum(cost), 0) as volume from presage_view.trades
      where market_seq = m.seq and status <> 'failed'
      and time_ms > ${sinceMs} and time_ms < ${(firstMinute + 1) * MINUTE_MS}) part
    where m.id = any(${sql.typed.byteas(marketIds.map(toBytes))})`;
  return new Map(rows.map((row) => [hexOf(row.id), toFigures(row)]));
}

function toFigures(row: Row): MarketFigures {
  const lastPrice = row.last_price ?? 0;
  const isAboutYes = row.last_price === null || row.last_outcome === YES;
  return {
    volume: BigInt(row.volume),
    volume24h: BigInt(row.whole) + BigInt(row.part),
    tradeCount: Number(row.trade_count),
    lastPrice,
    lastYesPrice: isAboutYes ? lastPrice : PRICE_SCALE - lastPrice,
  };
}
