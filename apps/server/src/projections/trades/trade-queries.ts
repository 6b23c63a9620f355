// Reads of trades: those of a market, those on their way to the chain, and those that failed.
import { DAY_MS, type FaultParty, type MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { toBytes } from '../column-values.ts';
import { selectTrades, type TradeRow, toTradeRow } from './trade-select.ts';

export interface FailedTradeRow extends TradeRow {
  readonly reason: string;
  readonly faultParty: FaultParty;
  readonly failedMs: number;
}

/** Newest first, without those that failed; empty for an unknown market. */
export async function listTrades(sql: Sql, marketId: MarketId, limit: number): Promise<TradeRow[]> {
  const rows = await sql`${selectTrades(sql)}
    where t.market_seq = (select seq from presage_view.markets where id = ${toBytes(marketId)}) and t.status <> 'failed'
    order by t.time_ms desc, t.seq desc limit ${limit}`;
  return rows.map(toTradeRow);
}

/** Oldest first. */
export async function listPendingTrades(sql: Sql, limit: number): Promise<TradeRow[]> {
  const rows = await sql`${selectTrades(sql)}
    where t.seq in (select trade_seq from presage_view.pending_trades) order by t.time_ms, t.seq limit ${limit}`;
  return rows.map(toTradeRow);
}

/** Of the day before `nowMs`, newest first. */
export async function listFailedTrades(sql: Sql, nowMs: number, limit: number): Promise<FailedTradeRow[]> {
  const rows = await sql`${selectTrades(sql)}
    where t.failed_ms > ${nowMs - DAY_MS} order by t.failed_ms desc, t.seq desc limit ${limit}`;
  return rows.map((row) => toTradeRow(row) as FailedTradeRow);
}
