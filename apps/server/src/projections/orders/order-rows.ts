// Statements over the tables of orders: what is loaded before a fold and written after it.
import {
  type CancelReason,
  isSwitch,
  ORDER_TERM_NAMES,
  type OrderAccepted,
  type OrderHash,
  type OrderStatus,
  type PermitStatus,
  type TransactionHash,
} from '@presage/protocol';
import {
  BulkStatement,
  bytes,
  type Column,
  exact,
  flag,
  insertInto,
  integer,
  selectList,
  text,
} from '../bulk-statement.ts';
import { hexOfText, toColumnName, type Wide } from '../column-values.ts';

/** What changes of an order, and what it takes to compute the change. */
export interface OrderState {
  readonly seq: number;
  readonly hash: OrderHash;
  readonly size: number;
  filled: number;
  status: OrderStatus;
  cancelReason: CancelReason | null;
  updatedMs: number;
}

export interface NewOrder {
  readonly state: OrderState;
  readonly marketSeq: number;
  readonly accepted: OrderAccepted;
}

export interface OrderChange {
  readonly orderSeq: number;
  readonly seq: number;
  readonly kind: 'cancelled' | 'restored' | 'permit';
  readonly timeMs: number;
  readonly size: number;
  readonly reason: string | null;
  readonly tradeSeq: number | null;
  readonly permitStatus: PermitStatus | null;
  readonly txHash: TransactionHash | null;
}

export interface LoadedOrder {
  readonly seq: Wide;
  readonly hash: string;
  readonly size: Wide;
  readonly filled: Wide;
  readonly status: OrderStatus;
  readonly cancel_reason: CancelReason | null;
  readonly updated_ms: Wide;
}

const LOADED = selectList<LoadedOrder>({
  seq: 'o.seq',
  // Bytes as text: the client would make a buffer of them first.
  hash: 'o.hash::text',
  size: 'o.size',
  filled: 'o.filled',
  status: 'o.status',
  cancel_reason: 'o.cancel_reason',
  updated_ms: 'o.updated_ms',
});

export const LOAD_ORDERS_BY_HASH = new BulkStatement<OrderHash>(
  { hash: bytes((hash) => hash) },
  (source) => `select ${LOADED} from ${source} join presage_view.orders o using (hash)`,
);

export const LOAD_ORDERS_BY_SEQ = new BulkStatement<number>(
  { seq: integer((seq) => seq) },
  (source) => `select ${LOADED} from ${source} join presage_view.orders o using (seq)`,
);

/** A column for each term there is. */
const TERMS: Readonly<Record<string, Column<NewOrder>>> = Object.fromEntries(
  ORDER_TERM_NAMES.map((name) => {
    const column = isSwitch(name)
      ? flag<NewOrder>(({ accepted }) => accepted.terms[name] === true)
      : text<NewOrder>(({ accepted }) => String(accepted.terms[name]));
    return [toColumnName(name), column];
  }),
);

export const INSERT_ORDERS = insertInto<NewOrder>('orders', {
  seq: integer((row) => row.state.seq),
  hash: bytes((row) => row.state.hash),
  market_seq: integer((row) => row.marketSeq),
  trader: bytes((row) => row.accepted.order.trader),
  side: integer((row) => row.accepted.order.side),
  outcome: integer((row) => row.accepted.order.outcome),
  price: integer((row) => row.accepted.order.price),
  size: integer((row) => row.accepted.order.size),
  nonce: exact((row) => row.accepted.order.nonce),
  expiration: exact((row) => row.accepted.order.expiration),
  ...TERMS,
  accepted_ms: integer((row) => row.accepted.timeMs),
  filled: integer((row) => row.state.filled),
  status: text((row) => row.state.status),
  cancel_reason: text((row) => row.state.cancelReason),
  updated_ms: integer((row) => row.state.updatedMs),
});

export const UPDATE_ORDERS = new BulkStatement<OrderState>(
  {
    seq: integer((row) => row.seq),
    filled: integer((row) => row.filled),
    status: text((row) => row.status),
    cancel_reason: text((row) => row.cancelReason),
    updated_ms: integer((row) => row.updatedMs),
  },
  (source) => `update presage_view.orders o set filled = given.filled, status = given.status,
    cancel_reason = given.cancel_reason, updated_ms = given.updated_ms from ${source} where o.seq = given.seq`,
);

export const INSERT_CHANGES = insertInto<OrderChange>('order_changes', {
  order_seq: integer((row) => row.orderSeq),
  seq: integer((row) => row.seq),
  kind: text((row) => row.kind),
  time_ms: integer((row) => row.timeMs),
  size: integer((row) => row.size),
  reason: text((row) => row.reason),
  trade_seq: integer((row) => row.tradeSeq),
  permit_status: text((row) => row.permitStatus),
  tx_hash: bytes((row) => row.txHash),
});

export function toOrderState(row: LoadedOrder): OrderState {
  return {
    seq: Number(row.seq),
    hash: hexOfText(row.hash),
    size: Number(row.size),
    filled: Number(row.filled),
    status: row.status,
    cancelReason: row.cancel_reason,
    updatedMs: Number(row.updated_ms),
  };
}
