// The answer to a submitted order, fixed at its first step.
import type { OrderAccepted, OrderAnswer, OrderStatus } from '@presage/protocol/engine-types';
import { naiveFees } from './naive-fees.ts';
import { firstFillsOf, type OrderRecord } from './records.ts';

type FirstFill = OrderAnswer['trades'][number];

export function rememberedAnswer(order: OrderRecord): OrderAnswer {
  const fills = firstFillsOf(order).map(({ id, tradeId, price, size }) => {
    const { fee } = naiveFees(order.market.facts, size, price);
    return { id, tradeId, price, size, ...(fee !== undefined && { fee }) };
  });
  return composeAnswer(order.accepted, fills, order.firstStatus);
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
