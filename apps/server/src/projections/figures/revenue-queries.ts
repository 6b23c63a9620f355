// Reads of revenue: taker fees by day and market, the makers' part, and what the chain has settled.
import { DAY_MS, type MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, exact, integer, named, type RowOf, text } from '../columns.ts';

const REVENUE = new Selection({
  /** Days since 1970, in UTC. */
  day: integer(),
  marketId: named('id', bytes<MarketId>()),
  chainId: integer(),
  question: text(),
  trades: integer(),
  volume: exact(),
  fees: exact(),
  makerRebates: exact(),
  /** Fees less rebates of settled trades. */
  settled: exact(),
});
export type RevenueRow = RowOf<typeof REVENUE.columns>;

export interface RevenueRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly limit: number;
}

/**
 * Newest day first, then by revenue, highest first. Failed trades charge nothing, and trades without a fee are left
 * out.
 */
export async function listRevenue(sql: Sql, { fromMs, toMs, limit }: RevenueRange): Promise<RevenueRow[]> {
  const rows = await sql`select charged.*, m.id, m.chain_id, m.question from (
      select time_ms / ${DAY_MS}::bigint as day, market_seq, count(*) as trades, sum(cost) as volume, sum(fee) as fees,
        coalesce(sum(maker_rebate), 0) as maker_rebates,
        coalesce(sum(fee - coalesce(maker_rebate, 0)) filter (where stage in ('mined', 'confirmed')), 0) as settled
      from presage_view.trades
      where fee is not null and stage <> 'failed' and time_ms >= ${fromMs} and time_ms < ${toMs}
      group by 1, 2
    ) charged join presage_view.markets m on m.seq = charged.market_seq
    order by day desc, fees - maker_rebates desc, m.seq limit ${limit}`;
  return rows.map(REVENUE.read);
}
