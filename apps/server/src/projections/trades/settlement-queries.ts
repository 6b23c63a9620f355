// Reads a settlement by the hash of any transaction that its trades were ever sent with.
import type { TransactionHash } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { toBytes } from '../column-values.ts';
import { selectTrades, type TradeRow, toTradeRow } from './trade-select.ts';

/** A trade as it stands now, with its place in the transaction that was asked for. */
export interface SettlementFillRow {
  readonly trade: TradeRow;
  readonly batchIndex: number;
  readonly isBatch: boolean;
  /** Whether the asked transaction is the one the trade was last sent with. */
  readonly isCurrent: boolean;
}

/** In the order of the batch; empty for a hash that was never ours. */
export async function listSettlementFills(sql: Sql, txHash: TransactionHash): Promise<SettlementFillRow[]> {
  const rows = await sql`select x.batch_index as sent_index, x.is_batch as sent_in_batch, t.*
    from presage_view.trade_transactions x join (${selectTrades(sql)}) t on t.seq = x.trade_seq
    where x.tx_hash = ${toBytes(txHash)} order by x.batch_index, t.seq`;
  return rows.map((row) => {
    const trade = toTradeRow(row);
    const isCurrent = trade.txHash === txHash;
    return { trade, batchIndex: row.sent_index, isBatch: row.sent_in_batch, isCurrent };
  });
}
