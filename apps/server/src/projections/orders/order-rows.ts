// The tables of orders: their columns and statements.
import {
  type Address,
  type CancelReason,
  isSwitch,
  ORDER_TERM_NAMES,
  type OrderHash,
  type OrderStatus,
  type OrderTerms,
  type Outcome,
  type PermitStatus,
  type Price,
  type Side,
  type Size,
  type TransactionHash,
} from '@presage/protocol';
import { bytes, type Column, changing, exact, flag, integer, orNull, pick, type RowOf, text } from '../columns.ts';
import type { RowSource, RowStates } from '../row-states.ts';
import { Table } from '../table.ts';

/** One column per term: a flag for a switch, text for a choice. */
const TERMS = Object.fromEntries(ORDER_TERM_NAMES.map((name) => [name, isSwitch(name) ? flag() : text()])) as {
  readonly [Name in keyof OrderTerms]: Column<OrderTerms[Name]>;
};

export const ORDERS = new Table('orders', {
  seq: integer(),
  hash: bytes<OrderHash>(),
  marketSeq: integer(),
  trader: bytes<Address>(),
  side: integer<Side>('smallint'),
  outcome: integer<Outcome>('smallint'),
  price: integer<Price>('integer'),
  size: integer<Size>(),
  nonce: exact(),
  expiration: exact(),
  ...TERMS,
  acceptedMs: integer(),
  /** Sum of its trades that have not failed. */
  filled: changing(integer()),
  status: changing(text<OrderStatus>()),
  cancelReason: changing(orNull(text<CancelReason>())),
  updatedMs: changing(integer()),
});

/** The changing columns of an order, and those needed to compute a change. */
const STATES = new Table(
  'orders',
  pick(ORDERS.columns, 'seq', 'hash', 'size', 'filled', 'status', 'cancelReason', 'updatedMs'),
);
export type NewOrder = RowOf<typeof ORDERS.columns>;
export type OrderState = RowOf<typeof STATES.columns>;

export const INSERT_ORDERS = ORDERS.insert();
export const UPDATE_ORDERS = ORDERS.update('seq', ['filled', 'status', 'cancelReason', 'updatedMs']);

const BY_HASH = STATES.load('hash');
const BY_SEQ = STATES.load('seq');

export const ORDER_SOURCE: RowSource<OrderHash, OrderState> = {
  what: 'order',
  keyOf: ({ hash }) => hash,
  loadByKey: (sql, hashes) => BY_HASH.runEach(sql, hashes),
  loadBySeq: (sql, seqs) => BY_SEQ.runEach(sql, seqs),
};

export type OrderStates = RowStates<OrderHash, OrderState>;

export const ORDER_CHANGES = new Table('order_changes', {
  orderSeq: integer(),
  seq: integer(),
  kind: text<'cancelled' | 'restored' | 'permit'>(),
  timeMs: integer(),
  size: integer(),
  reason: orNull(text()),
  tradeSeq: orNull(integer()),
  permitStatus: orNull(text<PermitStatus>()),
  txHash: orNull(bytes<TransactionHash>()),
});
export type OrderChange = RowOf<typeof ORDER_CHANGES.columns>;
export const INSERT_CHANGES = ORDER_CHANGES.insert();
