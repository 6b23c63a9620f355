// Ids of trades as the service gives them out: places in the journal, made unique over all partitions.
import { type EngineOutput, type OrderAnswer, toServiceSeq } from '@presage/protocol';

interface PartitionOf {
  readonly partition: number;
  readonly count: number;
}

/** Of one partition the answer is as it is. */
export function toServiceAnswer(answer: OrderAnswer, { partition, count }: PartitionOf): OrderAnswer {
  if (count === 1 || answer.trades.length === 0) return answer;
  const trades = answer.trades.map((fill) => ({ ...fill, id: toServiceSeq({ partition, seq: fill.id }, count) }));
  return { ...answer, trades };
}

/** Only the answer to an order that was placed before names trades by their ids. */
export function withServiceIds(outputs: readonly EngineOutput[], place: PartitionOf): EngineOutput[] {
  return outputs.map((output) =>
    output.type === 'order-replayed' ? { ...output, answer: toServiceAnswer(output.answer, place) } : output,
  );
}
