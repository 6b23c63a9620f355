// Reads the whole history of an order: accepted, filled, moved on chain, cancelled, restored; in journal order.
import type { Address, CancelReason, OrderHash, PermitStatus, Price, TradeRole, TradeStage } from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { bytes, type Columns, integer, named, pick, type RowOf, text, toBytes } from '../columns.ts';
import { TRADE_MOVES, TRADES } from '../trades/trade-rows.ts';
import { ORDER_CHANGES } from './order-rows.ts';

const MOMENT = new Selection({ seq: integer(), timeMs: integer() });
const ACCEPTED = new Selection({ size: integer(), price: integer<Price>() });
const FILLED = new Selection({
  ...ACCEPTED.columns,
  tradeId: text(),
  role: text<TradeRole>(),
  counterparty: bytes<Address>(),
  ...pick(TRADES.columns, 'fee', 'makerRebate'),
});
const CANCELLED = new Selection({ remainingSize: named('size', integer()), reason: text<CancelReason>() });
/** Result of the permit sent with the order. */
const PERMIT = new Selection({
  status: named('permit_status', text<PermitStatus>()),
  ...pick(ORDER_CHANGES.columns, 'txHash', 'reason'),
});
const RESTORED = new Selection({ size: integer(), tradeId: text() });
const MOVED = new Selection({
  tradeId: text(),
  ...pick(TRADE_MOVES.columns, 'txHash', 'attempt', 'blockNumber', 'reason', 'faultParty'),
});

type Entry<Type, S extends { readonly columns: Columns }> = RowOf<typeof MOMENT.columns> & {
  readonly type: Type;
} & RowOf<S['columns']>;

/** One entry of the history, in the order of journal sequences. */
export type OrderLifeEntry =
  | Entry<'accepted', typeof ACCEPTED>
  | Entry<'filled', typeof FILLED>
  | Entry<'cancelled', typeof CANCELLED>
  | Entry<'permit', typeof PERMIT>
  | Entry<'restored', typeof RESTORED>
  | Entry<Exclude<TradeStage, 'matched'>, typeof MOVED>;

/**
 * Oldest first; undefined for an unknown order. The settlement of a trade appears in the history of both its orders.
 */
export async function listOrderLife(sql: Sql, hash: OrderHash): Promise<OrderLifeEntry[] | undefined> {
  const rows = await sql`
    with one as (select * from presage_view.orders where hash = ${toBytes(hash)}),
    fills as (
      select t.*, 'maker' as role, t.taker_seq as other_seq from presage_view.trades t join one on t.maker_seq = one.seq
      union all
      select t.*, 'taker' as role, t.maker_seq as other_seq from presage_view.trades t join one on t.taker_seq = one.seq
    )
    select 'accepted' as type, seq, accepted_ms as time_ms, size, price, null as trade_id, null as role,
      null::bytea as counterparty, null as reason, null::bytea as tx_hash, null::integer as attempt,
      null::bigint as block_number, null as fault_party, null as permit_status, null::bigint as fee,
      null::bigint as maker_rebate from one
    union all
    select 'filled', fills.seq, fills.time_ms, fills.size, fills.price, fills.trade_id, fills.role,
      other.trader, null, null, null, null, null, null, fills.fee, fills.maker_rebate
      from fills join presage_view.orders other on other.seq = fills.other_seq
    union all
    select c.kind, c.seq, c.time_ms, c.size, null, t.trade_id, null, null, c.reason, c.tx_hash, null, null, null, c.permit_status,
      null, null
      from one join presage_view.order_changes c on c.order_seq = one.seq
      left join presage_view.trades t on t.seq = c.trade_seq
    union all
    select v.stage, v.seq, v.time_ms, null, null, fills.trade_id, null, null, v.reason, v.tx_hash, v.attempt,
      v.block_number, v.fault_party, null, null, null from fills join presage_view.trade_moves v on v.trade_seq = fills.seq
    order by seq`;
  return rows.length === 0 ? undefined : rows.map(toEntry);
}

function toEntry(row: Row): OrderLifeEntry {
  const type: OrderLifeEntry['type'] = row.type;
  const moment = MOMENT.read(row);
  switch (type) {
    case 'accepted':
      return { ...moment, type, ...ACCEPTED.read(row) };
    case 'filled':
      return { ...moment, type, ...FILLED.read(row) };
    case 'cancelled':
      return { ...moment, type, ...CANCELLED.read(row) };
    case 'permit':
      return { ...moment, type, ...PERMIT.read(row) };
    case 'restored':
      return { ...moment, type, ...RESTORED.read(row) };
    case 'submitted':
    case 'mined':
    case 'confirmed':
    case 'retrying':
    case 'failed':
      return { ...moment, type, ...MOVED.read(row) };
  }
}
