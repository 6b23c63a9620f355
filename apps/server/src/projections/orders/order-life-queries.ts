// Reads the whole life of an order: accepted, filled, moved on chain, cancelled, restored, in journal order.
import type {
  Address,
  CancelReason,
  FaultParty,
  OrderHash,
  PermitChanged,
  Price,
  TradeStage,
  TransactionHash,
} from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, maybeHexOf, maybeNumber, toBytes } from '../column-values.ts';

interface LifeEntry {
  /** Journal sequence: moments are in its order. */
  readonly seq: number;
  readonly timeMs: number;
}

interface OrderFilledEntry extends LifeEntry {
  readonly type: 'filled';
  readonly tradeId: string;
  readonly role: 'maker' | 'taker';
  readonly price: Price;
  readonly size: number;
  readonly counterparty: Address;
}

interface TradeMovedEntry extends LifeEntry {
  readonly type: Exclude<TradeStage, 'matched'>;
  readonly tradeId: string;
  readonly txHash: TransactionHash | null;
  readonly attempt: number | null;
  readonly blockNumber: number | null;
  /** Decoded, of a failure. */
  readonly reason: string | null;
  readonly faultParty: FaultParty | null;
}

/** The result of the permit that came with the order. */
interface PermitFate {
  readonly txHash: TransactionHash | null;
  readonly reason: string | null;
}

export type OrderLifeEntry =
  | (LifeEntry & { readonly type: 'accepted'; readonly size: number; readonly price: Price })
  | OrderFilledEntry
  | (LifeEntry & { readonly type: 'cancelled'; readonly remainingSize: number; readonly reason: CancelReason })
  | (LifeEntry & { readonly type: 'permit' } & Pick<PermitChanged, 'status'> & PermitFate)
  | (LifeEntry & { readonly type: 'restored'; readonly size: number; readonly tradeId: string })
  | TradeMovedEntry;

/** Oldest first; undefined for an order that never was. Both orders of a trade have its settlement in their lives. */
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
      null::bigint as block_number, null as fault_party, null as permit_status from one
    union all
    select 'filled', fills.seq, fills.time_ms, fills.size, fills.price, fills.trade_id, fills.role,
      other.trader, null, null, null, null, null, null
      from fills join presage_view.orders other on other.seq = fills.other_seq
    union all
    select c.kind, c.seq, c.time_ms, c.size, null, t.trade_id, null, null, c.reason, c.tx_hash, null, null, null, c.permit_status
      from one join presage_view.order_changes c on c.order_seq = one.seq
      left join presage_view.trades t on t.seq = c.trade_seq
    union all
    select v.stage, v.seq, v.time_ms, null, null, fills.trade_id, null, null, v.reason, v.tx_hash, v.attempt,
      v.block_number, v.fault_party, null from fills join presage_view.trade_moves v on v.trade_seq = fills.seq
    order by seq`;
  return rows.length === 0 ? undefined : rows.map(toEntry);
}

function toEntry(row: Row): OrderLifeEntry {
  const type: OrderLifeEntry['type'] = row.type;
  const moment = { seq: Number(row.seq), timeMs: Number(row.time_ms) };
  switch (type) {
    case 'accepted':
      return { ...moment, type: 'accepted', size: Number(row.size), price: row.price };
    case 'filled':
      return { ...moment, type: 'filled', ...toFill(row) };
    case 'cancelled':
      return { ...moment, type: 'cancelled', remainingSize: Number(row.size), reason: row.reason };
    case 'permit':
      return { ...moment, type: 'permit', status: row.permit_status, ...toFate(row) };
    case 'restored':
      return { ...moment, type: 'restored', size: Number(row.size), tradeId: row.trade_id };
    case 'submitted':
    case 'mined':
    case 'confirmed':
    case 'retrying':
    case 'failed':
      return { ...moment, type, ...toMove(row) };
  }
}

function toFate(row: Row): PermitFate {
  return { txHash: maybeHexOf(row.tx_hash), reason: row.reason };
}

function toFill(row: Row): Omit<OrderFilledEntry, keyof LifeEntry | 'type'> {
  const counterparty = hexOf(row.counterparty);
  return { tradeId: row.trade_id, role: row.role, price: row.price, size: Number(row.size), counterparty };
}

function toMove(row: Row): Omit<TradeMovedEntry, keyof LifeEntry | 'type'> {
  return {
    tradeId: row.trade_id,
    txHash: maybeHexOf(row.tx_hash),
    attempt: row.attempt,
    blockNumber: maybeNumber(row.block_number),
    reason: row.reason,
    faultParty: row.fault_party,
  };
}
