// The events of one command in one market, while they are being decided: they share a step number and a time.

import { NONE } from '@presage/engine';
import {
  areDefaultTerms,
  BUY,
  type CancelReason,
  DEFAULT_TERMS,
  type EngineEvent,
  type EngineOutput,
  type ErrorCode,
  type FailTrade,
  type MarketCloseReason,
  type MarketResolution,
  type MoveTrade,
  minSize,
  type Order,
  type OrderAccepted,
  type OrderHash,
  type OrderTerms,
  type PlaceOrder,
  type Size,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { toTradeId } from './memory/trade-map.ts';
import { naiveFees } from './naive-fees.ts';
import type { AccountRecord, MarketRecord, OrderRecord, TradeRecord } from './records.ts';

/** An incoming order. */
export interface Incoming {
  readonly orderHash: OrderHash;
  readonly order: Order;
  readonly terms: OrderTerms;
  /** Size that is not traded or cancelled yet. */
  left: number;
}

export class StepDraft {
  readonly events: EngineEvent[] = [];
  readonly market: MarketRecord;
  readonly timeMs: number;
  /** An order that this step cancelled before matching began, and that the book still shows. */
  gone: OrderRecord | undefined = undefined;
  readonly #step: number;
  #tradeCount: number;

  constructor(market: MarketRecord, timeMs: number) {
    this.market = market;
    this.timeMs = timeMs;
    this.#step = market.step + 1;
    this.#tradeCount = market.tradeCount;
  }

  close(reason: MarketCloseReason): void {
    this.events.push({ type: 'market-closed', ...this.#head(), reason });
  }

  resolve(resolution: MarketResolution): void {
    this.events.push({ type: 'resolution-changed', ...this.#head(), resolution });
  }

  accept(command: PlaceOrder, account: AccountRecord | undefined): void {
    this.events.push(toKeptOrder(command, { market: this.market, account, step: this.#step }));
  }

  /** Trades the smaller of the two sizes, subtracts it from both and returns it. */
  trade(incoming: Incoming, resting: OrderRecord, remaining: number): Size {
    const size = minSize(incoming.left, remaining);
    this.#tradeCount++;
    this.events.push({
      type: 'trade-matched',
      marketId: this.market.id,
      step: this.#step,
      timeMs: this.timeMs,
      tradeId: toTradeId(this.market, this.#tradeCount),
      outcome: resting.outcome,
      price: resting.price,
      size,
      takerSide: incoming.order.side,
      makerHash: resting.accepted.orderHash,
      takerHash: incoming.orderHash,
      maker: resting.account.trader,
      taker: incoming.order.trader,
      ...naiveFees(this.market.facts, size, resting.price),
    });
    return size;
  }

  /** Cancels a remembered order's size on the book, or size 0 to prevent its return. */
  cancel(order: OrderRecord, reason: CancelReason): void {
    const isResting = order.slot !== NONE;
    const remaining = isResting ? order.market.books[order.outcome]!.remaining(order.slot) : 0;
    this.#cancelled(order.accepted, remaining, reason);
  }

  cancelIncoming(incoming: Incoming, reason: CancelReason): void {
    this.#cancelled(incoming, incoming.left, reason);
    incoming.left = 0;
  }

  restore(order: OrderRecord, trade: TradeRecord): void {
    const { orderHash } = order.accepted;
    this.events.push({
      type: 'order-restored',
      ...this.#head(),
      orderHash,
      size: trade.fill.size,
      tradeId: trade.fill.tradeId,
    });
  }

  move(command: MoveTrade): void {
    const { tradeId, stage, settlement } = command;
    const event = { type: 'trade-moved' as const, ...this.#head(), tradeId, stage };
    this.events.push(settlement === undefined ? event : { ...event, settlement });
  }

  fail(command: FailTrade, trade: TradeRecord): void {
    const { tradeId, faultParty, reason, settlement, overfilled } = command;
    const [buyer, seller] = [buyerOf(trade).account.trader, sellerOf(trade).account.trader];
    const event = { type: 'trade-failed' as const, ...this.#head(), tradeId, buyer, seller, faultParty, reason };
    this.events.push({ ...event, ...(settlement && { settlement }), ...(overfilled && { overfilled }) });
  }

  #head(): { marketId: MarketRecord['id']; step: number; timeMs: number } {
    return { marketId: this.market.id, step: this.#step, timeMs: this.timeMs };
  }

  #cancelled(signed: Pick<PlaceOrder, 'orderHash' | 'order'>, remainingSize: number, reason: CancelReason): void {
    const { trader, outcome, side, price } = signed.order;
    this.events.push({
      type: 'order-cancelled',
      marketId: this.market.id,
      step: this.#step,
      timeMs: this.timeMs,
      orderHash: signed.orderHash,
      trader,
      outcome,
      side,
      price,
      remainingSize,
      reason,
    });
  }
}

export function buyerOf(trade: TradeRecord): OrderRecord {
  return trade.taker.side === BUY ? trade.taker : trade.maker;
}

export function sellerOf(trade: TradeRecord): OrderRecord {
  return trade.taker.side === BUY ? trade.maker : trade.taker;
}

/** A refusal is an answer with a code, not an exception. */
export function refuse(code: ErrorCode, details?: Readonly<Record<string, unknown>>): EngineOutput[] {
  return [details === undefined ? { type: 'command-refused', code } : { type: 'command-refused', code, details }];
}

interface OrderPlace {
  readonly market: MarketRecord;
  /** The trader's account, if the market has one. */
  readonly account: AccountRecord | undefined;
  readonly step: number;
}

/**
 * Copies the accepted order into one literal. Orders come from parsers and spreads, each with its own copy of the
 * market's id and the wallet's address, and with varying object shapes. A literal is read many times faster and uses
 * less memory. Both engines, the journal and the followers then share this object. The literal must name every field,
 * optional ones too.
 */
function toKeptOrder(command: PlaceOrder, { market, account, step }: OrderPlace): OrderAccepted {
  const { order, permit } = command;
  const kept: Required<Omit<OrderAccepted, 'permit'>> = {
    type: 'order-accepted',
    marketId: market.id,
    step,
    timeMs: command.timeMs,
    orderHash: command.orderHash,
    order: {
      marketId: market.id,
      trader: account?.trader ?? order.trader,
      side: order.side,
      outcome: order.outcome,
      price: order.price,
      size: order.size,
      nonce: order.nonce,
      expiration: order.expiration,
      makerFeeRecipient: order.makerFeeRecipient === ZERO_ADDRESS ? ZERO_ADDRESS : order.makerFeeRecipient,
    },
    signature: command.signature,
    terms: areDefaultTerms(command.terms) ? DEFAULT_TERMS : command.terms,
  };
  return permit === undefined ? kept : { ...kept, permit };
}
