// Read model of orders: every order ever accepted, how far it was filled, and what ended it.
import {
  type OrderAccepted,
  type OrderCancelled,
  type OrderHash,
  type OrderRestored,
  type PermitChanged,
  subtractSize,
  type TradeFailed,
} from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import type { MarketModel } from '../markets/market-model.ts';
import type { TradeStates } from '../trades/trade-rows.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';
import {
  INSERT_CHANGES,
  INSERT_ORDERS,
  type NewOrder,
  type OrderChange,
  type OrderState,
  type OrderStates,
  UPDATE_ORDERS,
} from './order-rows.ts';

export class OrderModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #orders: OrderStates;
  readonly #trades: TradeStates;
  readonly #failing = new Set<string>();
  readonly #created: NewOrder[] = [];
  /** Changed orders of earlier transactions. */
  readonly #changed = new Set<OrderState>();
  readonly #changes = INSERT_CHANGES.collect();

  protected override readonly records: RecordTable = {
    'order-accepted': {
      keys: ({ orderHash }) => this.#orders.expect(orderHash),
      apply: (record, seq) => this.#accept(record, seq),
    },
    'trade-matched': {
      keys: ({ makerHash, takerHash }) => {
        this.#orders.want(makerHash);
        this.#orders.want(takerHash);
      },
      apply: ({ makerHash, takerHash, size, timeMs }) => {
        this.#fill(makerHash, size, timeMs);
        this.#fill(takerHash, size, timeMs);
      },
    },
    'trade-failed': {
      keys: ({ tradeId }) => void this.#failing.add(tradeId),
      apply: (record) => this.#takeBackFills(record),
    },
    'order-cancelled': {
      keys: ({ orderHash }) => this.#orders.want(orderHash),
      apply: (record, seq) => this.#cancel(record, seq),
    },
    'order-restored': {
      keys: ({ orderHash }) => this.#orders.want(orderHash),
      apply: (record, seq) => this.#restore(record, seq),
    },
    'permit-changed': {
      keys: ({ orderHash }) => this.#orders.want(orderHash),
      apply: (record, seq) => this.#notePermit(record, seq),
    },
    'trade-moved': IGNORED.record,
    // The book was repaired when the trade failed, and stays repaired.
    'trade-revived': IGNORED.record,
    ...IGNORED.markets,
    ...IGNORED.shares,
    ...IGNORED.claims,
    ...IGNORED.others,
  };

  constructor(markets: MarketModel, orders: OrderStates, trades: TradeStates) {
    super();
    this.#markets = markets;
    this.#orders = orders;
    this.#trades = trades;
  }

  /** Runs after the trades are loaded: a failed trade gives its size back to both orders. */
  async load(sql: BulkTransaction): Promise<void> {
    for (const { tradeId, makerSeq, takerSeq } of this.#trades.loaded) {
      if (!this.#failing.has(tradeId)) continue;
      this.#orders.wantSeq(makerSeq);
      this.#orders.wantSeq(takerSeq);
    }
    await this.#orders.load(sql);
  }

  override async write(sql: BulkTransaction): Promise<void> {
    await Promise.all([
      INSERT_ORDERS.run(sql, this.#created),
      UPDATE_ORDERS.run(sql, [...this.#changed]),
      this.#changes.run(sql),
    ]);
  }

  #accept({ order, orderHash, terms, marketId, timeMs }: OrderAccepted, seq: number): void {
    const created: NewOrder = {
      seq,
      hash: orderHash,
      marketSeq: this.#markets.seqOf(marketId),
      trader: order.trader,
      side: order.side,
      outcome: order.outcome,
      price: order.price,
      size: order.size,
      nonce: order.nonce,
      expiration: order.expiration,
      acceptedMs: timeMs,
      filled: 0,
      status: 'open',
      cancelReason: null,
      updatedMs: timeMs,
      // The spread comes last: before other fields it costs a hundred times as much.
      ...terms,
    };
    this.#orders.create(created);
    this.#created.push(created);
  }

  #fill(hash: OrderHash, size: number, timeMs: number): void {
    const order = this.#change(this.#orders.find(hash), timeMs);
    order.filled += size;
    if (subtractSize(order.size, order.filled) === 0) order.status = 'filled';
  }

  /** Later events decide whether an order returns to the book. */
  #takeBackFills({ tradeId, timeMs }: TradeFailed): void {
    const { makerSeq, takerSeq, size } = this.#trades.find(tradeId);
    for (const seq of [makerSeq, takerSeq]) {
      const order = this.#change(this.#orders.findSeq(seq), timeMs);
      order.filled = subtractSize(order.filled, size);
    }
  }

  #cancel({ orderHash, reason, remainingSize, timeMs }: OrderCancelled, seq: number): void {
    const order = this.#change(this.#orders.find(orderHash), timeMs);
    order.status = reason === 'expired' ? 'expired' : 'cancelled';
    order.cancelReason = reason;
    this.#note(order, { seq, kind: 'cancelled', timeMs, size: remainingSize, reason });
  }

  #restore({ orderHash, size, timeMs, tradeId }: OrderRestored, seq: number): void {
    const order = this.#change(this.#orders.find(orderHash), timeMs);
    order.status = 'open';
    this.#note(order, { seq, kind: 'restored', timeMs, size, tradeSeq: this.#trades.find(tradeId).seq });
  }

  /** Adds an entry to the order's history; the order itself does not change. */
  #notePermit({ orderHash, timeMs, status, txHash, reason }: PermitChanged, seq: number): void {
    const sent = { permitStatus: status, txHash: txHash ?? null, reason: reason ?? null };
    this.#note(this.#orders.find(orderHash), { seq, kind: 'permit', timeMs, size: 0, ...sent });
  }

  #note(order: OrderState, change: Pick<OrderChange, 'seq' | 'kind' | 'timeMs' | 'size'> & Partial<OrderChange>): void {
    this.#changes.add({
      orderSeq: order.seq,
      reason: null,
      tradeSeq: null,
      permitStatus: null,
      txHash: null,
      ...change,
    });
  }

  #change(order: OrderState, timeMs: number): OrderState {
    order.updatedMs = timeMs;
    if (!this.#orders.isCreated(order)) this.#changed.add(order);
    return order;
  }
}
