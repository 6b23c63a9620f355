// Reads a market's price over the last days, as a few points for a small chart.
import { LIMITS, type MarketId } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, toBytes } from '../columns.ts';
import { yesPriceOf } from '../trades/trade-select.ts';

const SPAN_MS = 7 * 86_400_000;

/**
 * YES prices at even steps from seven days ago, or from the first trade, until now; markets without a trade are left
 * out. Each point is one step along an index, so a busy market costs no more than a quiet one.
 */
export async function listSparklines(
  sql: Sql,
  nowMs: number,
  marketIds: readonly MarketId[],
): Promise<Map<MarketId, number[]>> {
  const ofMarket = sql`t.market_seq = m.seq and t.stage <> 'failed'`;
  const steps = LIMITS.sparklinePoints - 1;
  const rows = await sql`select m.id, array(
      select (select ${yesPriceOf(sql)} from presage_view.trades t where ${ofMarket}
        and t.time_ms <= start.ms + (${nowMs}::bigint - start.ms) * step / ${steps}::bigint
        order by t.time_ms desc, t.seq desc limit 1)
      from generate_series(0, ${steps}::integer) step order by step
    ) as prices from presage_view.markets m cross join lateral (
      select greatest(min(t.time_ms), ${nowMs - SPAN_MS}::bigint) as ms from presage_view.trades t where ${ofMarket}
      having min(t.time_ms) is not null
    ) start where m.id = any(${sql.typed.byteas(marketIds.map(toBytes))})`;
  return new Map(
    rows.map(({ id, prices }: Row) => [hexOf(id), prices.filter((price: number | null) => price !== null)]),
  );
}
