// The answer to a submitted order, fixed at its first step.
import type {
  EngineOutput,
  OrderAccepted,
  OrderAnswer,
  OrderStatus,
  Price,
  Size,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { EngineState } from './engine-state.ts';
import { toTradeId } from './records.ts';
import { toStatus } from './slabs/order-slab.ts';
import type { TradeSlab } from './slabs/trade-slab.ts';
import { feesOf } from './trade-fees.ts';

type FirstFill = OrderAnswer['trades'][number];

export function rememberedAnswer(state: EngineState, order: number): OrderAnswer {
  const { signed, orders, trades } = state;
  const market = state.marketOf(order);
  const fills = firstFillsOf(trades, orders.lastFill(order)).map((trade) => {
    // Trades only hold valid prices and sizes.
    const [price, size] = [trades.price(trade) as Price, trades.fillSize(trade) as Size];
    const tradeId = toTradeId(market, trades.count(trade));
    return toFirstFill(trades.id(trade), { tradeId, price, size, ...feesOf(market, price, size) });
  });
  const accepted = { orderHash: signed.hash(order), timeMs: signed.timeMs(order), size: signed.size(order) };
  return composeAnswer(accepted, fills, toStatus(orders.firstStatus(order)));
}

/** Trades of an order's first step, in order. */
export function firstFillsOf(trades: TradeSlab, last: number): number[] {
  const fills: number[] = [];
  for (let trade = last; trade !== NONE; trade = trades.former(trade)) fills.push(trade);
  return fills.reverse();
}

/** The answer within the events of a place-order command, the first of them at sequence `firstSeq`; undefined if it was refused. */
export function toOrderAnswer(outputs: readonly EngineOutput[], firstSeq: number): OrderAnswer | undefined {
  let accepted: OrderAccepted | undefined;
  let isCancelled = false;
  const fills: FirstFill[] = [];
  let id = firstSeq;
  for (const output of outputs) {
    if (output.type === 'order-replayed') return output.answer;
    if (output.type === 'order-accepted') accepted = output;
    if (output.type === 'trade-matched') {
      fills.push(toFirstFill(id, output));
    }
    if (output.type === 'order-cancelled') isCancelled ||= output.orderHash === accepted?.orderHash;
    id++;
  }
  if (accepted === undefined) return undefined;
  const { orderHash, timeMs, order } = accepted;
  return composeAnswer({ orderHash, timeMs, size: order.size }, fills, isCancelled ? 'cancelled' : undefined);
}

function toFirstFill(id: number, { tradeId, price, size, fee }: Omit<FirstFill, 'id'>): FirstFill {
  return fee === undefined ? { id, tradeId, price, size } : { id, tradeId, price, size, fee };
}

type Accepted = Pick<OrderAnswer, 'orderHash' | 'timeMs'> & { readonly size: number };

function composeAnswer(accepted: Accepted, fills: readonly FirstFill[], status?: OrderStatus): OrderAnswer {
  let filledSize = 0;
  for (const fill of fills) filledSize += fill.size;
  const remainingSize = accepted.size - filledSize;
  return {
    orderHash: accepted.orderHash,
    timeMs: accepted.timeMs,
    matches: fills.length,
    filledSize,
    remainingSize,
    orderStatus: status ?? (remainingSize === 0 ? 'filled' : 'open'),
    trades: fills,
  };
}
