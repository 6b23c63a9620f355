// Read model of orders: all that ever were, how far each was filled, and what ended it.
import {
  type CancelReason,
  type OrderAccepted,
  type OrderCancelled,
  type OrderHash,
  type OrderRestored,
  type OrderStatus,
  type PermitChanged,
  subtractSize,
} from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';
import { BulkStatement, bytes, exact, flag, insertInto, integer, text } from './bulk-statement.ts';
import { hexOfText, type Wide } from './column-values.ts';
import { ViewFault } from './view-fault.ts';
import type { NewOrder, OrderChange, OrderState } from './view-rows.ts';

/** Bytes as text: the client would make a buffer of them first. */
const LOADED = 'o.seq, o.hash::text, o.size, o.filled, o.status, o.cancel_reason, o.updated_ms';
const LOAD_BY_HASH = new BulkStatement<OrderHash>(
  { hash: bytes((hash) => hash) },
  (source) => `select ${LOADED} from ${source} join presage_view.orders o using (hash)`,
);
const LOAD_BY_SEQ = new BulkStatement<number>(
  { seq: integer((seq) => seq) },
  (source) => `select ${LOADED} from ${source} join presage_view.orders o using (seq)`,
);

const INSERT = insertInto<NewOrder>('orders', {
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
  time_in_force: text((row) => row.accepted.terms.timeInForce),
  post_only: flag((row) => row.accepted.terms.postOnly),
  self_trade_prevention: text((row) => row.accepted.terms.selfTradePrevention),
  accepted_ms: integer((row) => row.accepted.timeMs),
  filled: integer((row) => row.state.filled),
  status: text((row) => row.state.status),
  cancel_reason: text((row) => row.state.cancelReason),
  updated_ms: integer((row) => row.state.updatedMs),
});

const UPDATE = new BulkStatement<OrderState>(
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

const INSERT_CHANGES = insertInto<OrderChange>('order_changes', {
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

export class OrderModel {
  readonly #expected = new Set<OrderHash>();
  readonly #wantedHashes = new Set<OrderHash>();
  readonly #wantedSeqs = new Set<number>();
  readonly #byHash = new Map<OrderHash, OrderState>();
  readonly #bySeq = new Map<number, OrderState>();
  readonly #created: NewOrder[] = [];
  readonly #changed = new Set<OrderState>();
  readonly #changes: OrderChange[] = [];

  /** It will be accepted in this transaction, so it need not be loaded. */
  expect(hash: OrderHash): void {
    this.#expected.add(hash);
  }

  want(hash: OrderHash): void {
    if (!this.#expected.has(hash)) this.#wantedHashes.add(hash);
  }

  wantSeq(seq: number): void {
    this.#wantedSeqs.add(seq);
  }

  async load(sql: TransactionSql): Promise<void> {
    const loaded = await Promise.all([
      LOAD_BY_HASH.run<LoadedOrder>(sql, [...this.#wantedHashes]),
      LOAD_BY_SEQ.run<LoadedOrder>(sql, [...this.#wantedSeqs]),
    ]);
    for (const row of loaded.flat()) {
      // One object an order, though both statements may find it.
      if (!this.#bySeq.has(Number(row.seq))) this.#keep(toOrderState(row));
    }
  }

  accept(seq: number, accepted: OrderAccepted, marketSeq: number): void {
    const { orderHash, order, timeMs } = accepted;
    const open = { status: 'open' as const, cancelReason: null, filled: 0, updatedMs: timeMs };
    const state: OrderState = { seq, hash: orderHash, size: order.size, ...open };
    this.#keep(state);
    this.#created.push({ state, marketSeq, accepted });
  }

  /** Answers the order's sequence. */
  fill(hash: OrderHash, size: number, timeMs: number): number {
    const order = this.#change(this.#found(hash), timeMs);
    order.filled += size;
    if (subtractSize(order.size, order.filled) === 0) order.status = 'filled';
    return order.seq;
  }

  /** Takes a failed fill back; whether the order returns to the book is told by the events that follow. */
  unfill(seq: number, size: number, timeMs: number): void {
    const order = this.#bySeq.get(seq);
    if (order === undefined) throw new ViewFault(`order ${seq} of a failed trade is missing`);
    this.#change(order, timeMs).filled = subtractSize(order.filled, size);
  }

  cancel(seq: number, { orderHash, reason, remainingSize, timeMs }: OrderCancelled): void {
    const order = this.#change(this.#found(orderHash), timeMs);
    order.status = reason === 'expired' ? 'expired' : 'cancelled';
    order.cancelReason = reason;
    const change = { orderSeq: order.seq, seq, timeMs, size: remainingSize, reason, tradeSeq: null };
    this.#changes.push({ ...change, kind: 'cancelled' });
  }

  restore(seq: number, { orderHash, size, timeMs }: OrderRestored, tradeSeq: number): void {
    const order = this.#change(this.#found(orderHash), timeMs);
    order.status = 'open';
    this.#changes.push({ orderSeq: order.seq, seq, kind: 'restored', timeMs, size, reason: null, tradeSeq });
  }

  /** No change of the order itself: a line in its life. */
  notePermit(seq: number, { orderHash, timeMs, status, txHash, reason }: PermitChanged): void {
    const orderSeq = this.#found(orderHash).seq;
    const change = { orderSeq, seq, timeMs, size: 0, reason: reason ?? null, tradeSeq: null };
    this.#changes.push({ ...change, kind: 'permit', permitStatus: status, txHash });
  }

  async write(sql: TransactionSql): Promise<void> {
    const created = new Set(this.#created.map(({ state }) => state));
    const changed = [...this.#changed].filter((state) => !created.has(state));
    await Promise.all([
      INSERT.run(sql, this.#created),
      UPDATE.run(sql, changed),
      INSERT_CHANGES.run(sql, this.#changes),
    ]);
  }

  #keep(state: OrderState): void {
    this.#byHash.set(state.hash, state);
    this.#bySeq.set(state.seq, state);
  }

  #found(hash: OrderHash): OrderState {
    const order = this.#byHash.get(hash);
    if (order === undefined) throw new ViewFault(`order ${hash} was never accepted`);
    return order;
  }

  #change(order: OrderState, timeMs: number): OrderState {
    order.updatedMs = timeMs;
    this.#changed.add(order);
    return order;
  }
}

interface LoadedOrder {
  readonly seq: Wide;
  readonly hash: string;
  readonly size: Wide;
  readonly filled: Wide;
  readonly status: OrderStatus;
  readonly cancel_reason: CancelReason | null;
  readonly updated_ms: Wide;
}

function toOrderState(row: LoadedOrder): OrderState {
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
