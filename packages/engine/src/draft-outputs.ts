// Converts a draft into event objects for callers that need them; must run before the draft is applied.
import {
  areDefaultTerms,
  CANCEL_REASONS,
  DEFAULT_TERMS,
  type EngineOutput,
  type OrderAccepted,
  type PlaceOrder,
  type Price,
  type Size,
  type TradeMatched,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { ACCEPT, CANCEL, CANCEL_INCOMING, type Draft, RARE, RESTORE, STEP, TRADE } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import { type MarketRecord, toTradeId } from './records.ts';
import { feesOf } from './trade-fees.ts';

export function toOutputs(state: EngineState, draft: Draft): EngineOutput[] {
  if (draft.answer !== undefined) return [draft.answer];
  const outputs: EngineOutput[] = [];
  let market: MarketRecord | undefined;
  let tradeCount = 0;
  for (let at = 0; at < draft.count; at++) {
    const kind = draft.kinds[at]!;
    if (kind === STEP) {
      market = state.markets.at(draft.handles[at]!);
      tradeCount = market.tradeCount;
    } else if (market === undefined) outputs.push(toListed(draft, at));
    else {
      if (kind === TRADE) tradeCount++;
      outputs.push(toEvent(state, draft, at, { market, tradeCount }));
    }
  }
  return outputs;
}

interface Place {
  readonly market: MarketRecord;
  readonly tradeCount: number;
}

function toEvent(state: EngineState, draft: Draft, at: number, place: Place): EngineOutput {
  const { market } = place;
  switch (draft.kinds[at]) {
    case ACCEPT:
      return toKeptOrder(draft.placed!, market);
    case TRADE:
      return toTrade(state, draft, at, place);
    case CANCEL:
    case CANCEL_INCOMING:
      return toCancelled(state, draft, at, market);
    case RESTORE:
      return toRestored(state, draft, at, market);
    case RARE:
      return toRare(draft, at, market);
    default:
      throw new Error(`a draft has no entry of kind ${draft.kinds[at]}`);
  }
}

function toTrade(state: EngineState, draft: Draft, at: number, { market, tradeCount }: Place): EngineOutput {
  const { orders, accounts, signed } = state;
  const { placed } = draft;
  const maker = draft.handles[at]!;
  // A price of an order, and the smaller of two sizes.
  const [price, size] = [orders.price(maker) as Price, draft.sizes[at]! as Size];
  const trade: TradeMatched = {
    type: 'trade-matched',
    marketId: market.id,
    step: market.step + 1,
    timeMs: draft.timeMs,
    tradeId: toTradeId(market, tradeCount),
    outcome: draft.outcome,
    price,
    size,
    takerSide: draft.side,
    makerHash: signed.hash(maker),
    takerHash: placed === undefined ? signed.hash(draft.taker) : placed.orderHash,
    maker: accounts.trader(orders.account(maker)),
    taker: placed === undefined ? accounts.trader(orders.account(draft.taker)) : placed.order.trader,
  };
  return market.facts.feeRateBps === undefined ? trade : { ...trade, ...feesOf(market, price, size) };
}

function toCancelled(state: EngineState, draft: Draft, at: number, market: MarketRecord): EngineOutput {
  const { orders, accounts, signed } = state;
  const isIncoming = draft.kinds[at] === CANCEL_INCOMING;
  const order = isIncoming ? draft.taker : draft.handles[at]!;
  const placed = order === NONE ? draft.placed : undefined;
  return {
    type: 'order-cancelled',
    marketId: market.id,
    step: market.step + 1,
    timeMs: draft.timeMs,
    orderHash: placed === undefined ? signed.hash(order) : placed.orderHash,
    trader: placed === undefined ? accounts.trader(orders.account(order)) : placed.order.trader,
    outcome: placed === undefined ? orders.outcome(order) : placed.order.outcome,
    side: placed === undefined ? orders.side(order) : placed.order.side,
    // Orders only hold valid prices.
    price: placed === undefined ? (orders.price(order) as Price) : placed.order.price,
    remainingSize: draft.sizes[at]!,
    reason: CANCEL_REASONS[draft.reasons[at]!]!,
  };
}

function toRestored({ signed }: EngineState, draft: Draft, at: number, market: MarketRecord): EngineOutput {
  return {
    type: 'order-restored',
    marketId: market.id,
    step: market.step + 1,
    timeMs: draft.timeMs,
    orderHash: signed.hash(draft.handles[at]!),
    // The size of a trade, which is valid.
    size: draft.sizes[at]! as Size,
    tradeId: draft.failedTradeId,
  };
}

function toListed(draft: Draft, at: number): EngineOutput {
  const listed = draft.rare.get(at);
  if (listed?.type !== 'market-listed') throw new Error('an event belongs to no market');
  const { type, market } = listed;
  return { type, marketId: market.marketId, step: 1, timeMs: draft.timeMs, market };
}

function toRare(draft: Draft, at: number, market: MarketRecord): EngineOutput {
  const { type, ...fields } = draft.rare.get(at)!;
  // Each becomes an event with the fields added here.
  return { type, marketId: market.id, step: market.step + 1, timeMs: draft.timeMs, ...fields } as EngineOutput;
}

/**
 * Copies the accepted order into one literal. Orders come from parsers and spreads, each with its own copy of the
 * market's id, and with varying object shapes. A literal is read many times faster and uses less memory. It must name
 * every field, optional ones too.
 */
function toKeptOrder(command: PlaceOrder, market: MarketRecord): OrderAccepted {
  const { order, permit } = command;
  const kept: Required<Omit<OrderAccepted, 'permit'>> = {
    type: 'order-accepted',
    marketId: market.id,
    step: market.step + 1,
    timeMs: command.timeMs,
    orderHash: command.orderHash,
    order: {
      marketId: market.id,
      trader: order.trader,
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
