// Reads a settlement by the hash of any transaction that its trades were sent with.
import type { TransactionHash } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { toBytes } from '../columns.ts';
import { selectTrades, TRADE_ROWS, type TradeRow } from './trade-select.ts';

/** Current state of a trade, with its position in the given transaction. */
export interface SettlementFillRow {
  readonly trade: TradeRow;
  readonly batchIndex: number;
  readonly isBatch: boolean;
  /** Whether the trade was last sent with the given transaction. */
  readonly isCurrent: boolean;
}

/** In the order of the batch; empty for an unknown hash. */
export async function listSettlementFills(sql: Sql, txHash: TransactionHash): Promise<SettlementFillRow[]> {
  const rows = await sql`select x.batch_index as sent_index, x.is_batch as sent_in_batch, t.*
    from presage_view.trade_transactions x join (${selectTrades(sql)}) t on t.seq = x.trade_seq
    where x.tx_hash = ${toBytes(txHash)} order by x.batch_index, t.seq`;
  return rows.map((row) => {
    const trade = TRADE_ROWS.read(row);
    const isCurrent = trade.txHash === txHash;
    return { trade, batchIndex: row.sent_index, isBatch: row.sent_in_batch, isCurrent };
  });
}
