// Reads of a wallet's conversions, each listed once, whatever the number of its markets.
import type { Bytes32, TransactionHash } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, exact, integer, type RowOf, text, toBytes } from '../columns.ts';
import type { UserQuery } from './user-queries.ts';

const CONVERSIONS = new Selection({
  eventId: bytes<Bytes32>(),
  eventQuestion: text(),
  /** Bit sets of outcomes. */
  gave: exact(),
  got: exact(),
  freed: exact(),
  amount: exact(),
  txHash: bytes<TransactionHash>(),
  /** Block time in Unix seconds. */
  timestamp: integer(),
});
export type ConversionRow = RowOf<typeof CONVERSIONS.columns>;

/**
 * Newest first. Every market of a conversion stores the same facts, so any one of them is read. Collateral of positions
 * of no market, which gave and got no shares, is not a conversion to its owner.
 */
export async function listUserConversions(sql: Sql, { wallet, chainId, limit }: UserQuery): Promise<ConversionRow[]> {
  const rows = await sql`select * from (
      select distinct on (e.tx_hash, e.log_index) m.event_id, m.event_question, e.gave, e.got, e.freed,
        abs(e.yes_shares + e.no_shares) as amount, e.tx_hash, e.timestamp, e.seq
      from presage_view.share_events e join presage_view.markets m on m.seq = e.market_seq and m.chain_id = ${chainId}
      where e.wallet = ${toBytes(wallet)} and e.cause = 'conversion' and e.gave + e.got > 0 and m.event_id is not null
      order by e.tx_hash, e.log_index, e.seq
    ) c order by timestamp desc, seq desc limit ${limit}`;
  return rows.map(CONVERSIONS.read);
}
