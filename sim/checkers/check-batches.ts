// Checks atomic batches: all orders are in one frame of the journal, or none is anywhere.
import type { Frame } from '@presage/journal';
import type { OrderHash } from '@presage/protocol';
import type { ClientLog } from '../actors/client-log.ts';
import { toRecords } from './kept-journal.ts';

/** `partitions` has the frames of each market partition. */
export function* checkBatches(log: ClientLog, partitions: readonly (readonly Frame[])[]): Generator<string> {
  const places = new Map<OrderHash, string>();
  for (const [partition, frames] of partitions.entries()) {
    for (const frame of frames) {
      for (const { record } of toRecords([frame]))
        if (record.type === 'order-accepted') places.set(record.orderHash, `${partition}/${frame.firstSeq}`);
    }
  }
  for (const { orderHashes, outcome } of log.of('batch')) {
    const found = orderHashes.map((hash) => places.get(hash));
    const name = orderHashes.map((hash) => hash.slice(0, 10)).join(' ');
    if (new Set(found).size > 1) yield `the batch ${name} is not in one frame: ${found.join(' ')}`;
    if (outcome === 'answered' && found.includes(undefined))
      yield `the batch ${name} was answered and is not in the journal`;
  }
}
