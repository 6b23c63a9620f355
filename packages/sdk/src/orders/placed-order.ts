// An accepted order: the service's response, and methods to follow and cancel it.
import type { Order } from '@presage/protocol/browser';
import { Backoff, sleep } from '@presage/runtime';
import { type CallOptions, throwUnlessPassing } from '../http.ts';
import type { CancelOrderResponse, OpenOrder, OrderEvent, OrderEvents, SubmitOrderResponse } from '../types.ts';

export interface WaitForSettlementOptions extends CallOptions {
  /** Also wait until the order is final: filled, cancelled or expired. */
  readonly untilClosed?: boolean;
}

export interface SettlementResult {
  readonly settled: readonly OrderTrade[];
  readonly failed: readonly OrderTrade[];
}

export interface PlacedOrderPorts {
  cancel(orderHash: string, options?: CallOptions & { readonly marketId?: string }): Promise<CancelOrderResponse>;
  getOrder(orderHash: string, options?: CallOptions): Promise<OpenOrder>;
  getOrderEvents(orderHash: string, options?: CallOptions): Promise<OrderEvents>;
}

const POLL = { firstMs: 200, longestMs: 3_000 };

/** An order that the service accepted, with its immediate fills and a wait for settlement. */
export class PlacedOrder {
  /** The order as it was signed. */
  readonly order: Order;
  readonly orderHash: string;
  /** Status right after acceptance. */
  readonly orderStatus: SubmitOrderResponse['orderStatus'];
  /** Resting orders it matched immediately. */
  readonly matches: number;
  readonly filledSize: number | bigint;
  readonly remainingSize: number | bigint;
  readonly trades: SubmitOrderResponse['trades'];
  readonly timestamp: number;
  /** The operator's signed statement that the order is in the journal; keep it for `verifyExchange`. */
  readonly receipt: SubmitOrderResponse['receipt'];
  readonly #ports: PlacedOrderPorts;

  constructor(order: Order, answer: SubmitOrderResponse, ports: PlacedOrderPorts) {
    this.order = order;
    this.orderHash = answer.orderHash;
    this.orderStatus = answer.orderStatus;
    this.matches = answer.matches;
    this.filledSize = answer.filledSize;
    this.remainingSize = answer.remainingSize;
    this.trades = answer.trades;
    this.timestamp = answer.timestamp;
    this.receipt = answer.receipt;
    this.#ports = ports;
  }

  /**
   * Resolves when every trade of this order is final on the chain: confirmed, or failed with its reason. An order that
   * only rests has none, and resolves immediately unless `untilClosed` is set. Outlasts a restart of the service.
   */
  async waitForSettlement({ untilClosed = false, signal }: WaitForSettlementOptions = {}): Promise<SettlementResult> {
    const backoff = new Backoff(POLL);
    for (;;) {
      const trades = await this.#readFinal(untilClosed, { signal }).catch(throwUnlessPassing);
      if (trades !== undefined) return divide(trades);
      await sleep(backoff.nextMs(), signal);
    }
  }

  /** Undefined while a trade, or the order itself, is still open. */
  async #readFinal(untilClosed: boolean, options: CallOptions): Promise<OrderTrade[] | undefined> {
    // Reads the order first: a fill between the two reads is then in the events.
    const isClosed = !untilClosed || (await this.refresh(options)).status !== 'open';
    const trades = tradesOf((await this.#ports.getOrderEvents(this.orderHash, options)).events);
    const isWhole = this.trades.every(({ id }) => trades.some((trade) => trade.id === id));
    return isClosed && isWhole && trades.every(isFinal) ? trades : undefined;
  }

  /** Reads the order's current state. */
  refresh(options?: CallOptions): Promise<OpenOrder> {
    return this.#ports.getOrder(this.orderHash, options);
  }

  /** Cancels its open remainder. */
  cancel(options: CallOptions = {}): Promise<CancelOrderResponse> {
    return this.#ports.cancel(this.orderHash, { ...options, marketId: this.order.marketId });
  }
}

function divide(trades: readonly OrderTrade[]): SettlementResult {
  return {
    settled: trades.filter(({ stage }) => stage === 'confirmed'),
    failed: trades.filter(({ stage }) => stage === 'failed'),
  };
}

export interface OrderTrade {
  readonly id: number;
  /** Millionths. */
  readonly price: number | bigint;
  readonly size: number | bigint;
  readonly role: 'maker' | 'taker';
  readonly counterparty: string;
  /** Fee that the taker paid beside the price. */
  readonly fee: number;
  readonly stage: 'matched' | 'submitted' | 'mined' | 'confirmed' | 'retrying' | 'failed';
  /** The settlement transaction, once it was broadcast. */
  readonly txHash?: string;
  /** Reason of the failure, and the party at fault. */
  readonly reason?: string;
  readonly faultParty?: string;
}

const MOVES: ReadonlySet<string> = new Set(['submitted', 'mined', 'confirmed', 'retrying', 'failed']);

/** Later events override earlier ones, so a trade rolled back by a reorg shows as such. */
function tradesOf(events: readonly OrderEvent[]): OrderTrade[] {
  const trades = new Map<string, OrderTrade>();
  for (const event of events) {
    // Events of trades have these fields; other events are skipped.
    const fields = event as OrderEvent & OrderTrade & { readonly tradeId: string };
    const known = trades.get(fields.tradeId);
    if (fields.type === 'filled') trades.set(fields.tradeId, toTrade(fields));
    else if (known !== undefined && MOVES.has(fields.type)) trades.set(fields.tradeId, moved(known, fields));
  }
  return [...trades.values()];
}

function toTrade({ id, price, size, role, counterparty, fee = 0 }: OrderTrade): OrderTrade {
  return { id, price, size, role, counterparty, fee, stage: 'matched' };
}

/** Reason and fault come from the move: a failed trade may be settled by a deep reorganization after all. */
function moved(
  { reason: _reason, faultParty: _faultParty, ...trade }: OrderTrade,
  event: OrderTrade & { readonly type: string },
): OrderTrade {
  return {
    ...trade,
    // `type` is one of MOVES.
    stage: event.type as OrderTrade['stage'],
    ...(event.txHash && { txHash: event.txHash }),
    ...(event.reason && { reason: event.reason }),
    ...(event.faultParty && { faultParty: event.faultParty }),
  };
}

function isFinal({ stage }: OrderTrade): boolean {
  return stage === 'confirmed' || stage === 'failed';
}
