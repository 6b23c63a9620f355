// The orders that a transaction of the view touches: those it loads and those it brings.
import type { OrderHash } from '@presage/protocol';
import type { TransactionSql } from '../../store/column-types.ts';
import { ViewFault } from '../view-fault.ts';
import {
  LOAD_ORDERS_BY_HASH,
  LOAD_ORDERS_BY_SEQ,
  type LoadedOrder,
  type OrderState,
  toOrderState,
} from './order-rows.ts';

export class OrderStates {
  readonly #expected = new Set<OrderHash>();
  readonly #wantedHashes = new Set<OrderHash>();
  readonly #wantedSeqs = new Set<number>();
  readonly #byHash = new Map<OrderHash, OrderState>();
  readonly #bySeq = new Map<number, OrderState>();
  /** Of the transaction before, while its rows may not be in the database yet. */
  #former: OrderStates | undefined;

  constructor(former?: OrderStates) {
    this.#former = former;
  }

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
    this.#takeOver();
    const loaded = await Promise.all([
      LOAD_ORDERS_BY_HASH.run<LoadedOrder>(sql, [...this.#wantedHashes]),
      LOAD_ORDERS_BY_SEQ.run<LoadedOrder>(sql, [...this.#wantedSeqs]),
    ]);
    for (const row of loaded.flat()) {
      // One object an order, though both statements may find it.
      if (!this.#bySeq.has(Number(row.seq))) this.add(toOrderState(row));
    }
  }

  /** Copies: the transaction before may not have written its own down yet. */
  #takeOver(): void {
    const former = this.#former;
    this.#former = undefined;
    if (former === undefined) return;
    const known = [
      ...[...this.#wantedHashes].map((hash) => former.#byHash.get(hash)),
      ...[...this.#wantedSeqs].map((seq) => former.#bySeq.get(seq)),
    ];
    for (const state of known) {
      if (state === undefined) continue;
      this.#wantedHashes.delete(state.hash);
      this.#wantedSeqs.delete(state.seq);
      if (!this.#bySeq.has(state.seq)) this.add({ ...state });
    }
  }

  add(state: OrderState): void {
    this.#byHash.set(state.hash, state);
    this.#bySeq.set(state.seq, state);
  }

  byHash(hash: OrderHash): OrderState {
    const order = this.#byHash.get(hash);
    if (order === undefined) throw new ViewFault(`order ${hash} was never accepted`);
    return order;
  }

  bySeq(seq: number): OrderState {
    const order = this.#bySeq.get(seq);
    if (order === undefined) throw new ViewFault(`order ${seq} of a failed trade is missing`);
    return order;
  }
}
