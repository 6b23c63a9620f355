// The answer to a submitted order, fixed at its first step.
import type { EngineOutput, OrderAccepted, OrderAnswer, OrderStatus } from '@presage/protocol/engine-types';
import { firstFillsOf, type OrderRecord } from './records.ts';

type FirstFill = OrderAnswer['trades'][number];

export function rememberedAnswer(order: OrderRecord): OrderAnswer {
  const fills = firstFillsOf(order).map(({ id, tradeId, price, size }) => ({ id, tradeId, price, size }));
  return composeAnswer(order.accepted, fills, order.firstStatus);
}

/** The answer within the events of a place-order command, the first of them at `firstSeq` of the journal; undefined when it was refused. */
export function toOrderAnswer(outputs: readonly EngineOutput[], firstSeq: number): OrderAnswer | undefined {
  let accepted: OrderAccepted | undefined;
  let isCancelled = false;
  const fills: FirstFill[] = [];
  let id = firstSeq;
  for (const output of outputs) {
    if (output.type === 'order-replayed') return output.answer;
    if (output.type === 'order-accepted') accepted = output;
    if (output.type === 'trade-matched') {
      fills.push({ id, tradeId: output.tradeId, price: output.price, size: output.size });
    }
    if (output.type === 'order-cancelled') isCancelled ||= output.orderHash === accepted?.orderHash;
    id++;
  }
  if (accepted === undefined) return undefined;
  return composeAnswer(accepted, fills, isCancelled ? 'cancelled' : undefined);
}

function composeAnswer(accepted: OrderAccepted, fills: readonly FirstFill[], status?: OrderStatus): OrderAnswer {
  let filledSize = 0;
  for (const fill of fills) filledSize += fill.size;
  const remainingSize = accepted.order.size - filledSize;
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
