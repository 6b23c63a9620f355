// Reads of trades: those of a market, pending ones and failed ones.
import { DAY_MS, type FaultParty, type MarketId } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { integer, type RowOf, text, toBytes } from '../columns.ts';
import { selectTrades, TRADE_ROWS, type TradeRow } from './trade-select.ts';

const FAILED_ROWS = new Selection({
  ...TRADE_ROWS.columns,
  reason: text(),
  faultParty: text<FaultParty>(),
  failedMs: integer(),
});
export type FailedTradeRow = Readonly<RowOf<typeof FAILED_ROWS.columns>>;

/** Newest first, without failed trades; empty for an unknown market. */
export async function listTrades(sql: Sql, marketId: MarketId, limit: number): Promise<TradeRow[]> {
  const rows = await sql`${selectTrades(sql)}
    where t.market_seq = (select seq from presage_view.markets where id = ${toBytes(marketId)}) and t.stage <> 'failed'
    order by t.time_ms desc, t.seq desc limit ${limit}`;
  return rows.map(TRADE_ROWS.read);
}

/** Pending trades, oldest first. */
export async function listPendingTrades(sql: Sql, limit: number): Promise<TradeRow[]> {
  const rows = await sql`${selectTrades(sql)}
    where t.seq in (select trade_seq from presage_view.pending_trades) order by t.time_ms, t.seq limit ${limit}`;
  return rows.map(TRADE_ROWS.read);
}

/** Trades that failed in the day before `nowMs`, newest first. */
export async function listFailedTrades(sql: Sql, nowMs: number, limit: number): Promise<FailedTradeRow[]> {
  const rows = await sql`${selectTrades(sql)}
    where t.failed_ms > ${nowMs - DAY_MS} order by t.failed_ms desc, t.seq desc limit ${limit}`;
  return rows.map(FAILED_ROWS.read);
}
