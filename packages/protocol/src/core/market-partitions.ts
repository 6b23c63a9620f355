// Which partition of the journal a market belongs to, and how positions of several partitions are numbered as one.
import type { OrderAnswer } from '../records/engine-events.ts';
import type { MarketId } from './ids.ts';
import { readOutcomeMarketId, toOutcomeMarketId } from './outcome-ids.ts';

/** Each partition costs a lease and a file; more would gain nothing that one database or one disk could carry. */
export const MOST_MARKET_PARTITIONS = 64;

/** Names are m0, m1, ... */
export function marketPartitionName(index: number): string {
  return `m${index}`;
}

export function isMarketPartition(partition: string): boolean {
  return /^m\d+$/.test(partition);
}

/**
 * Index of the market's partition: FNV-1a of its id as text, with a final mix for the low bits. The markets of an event
 * use the id of the event's first market, so that an atomic batch or a conversion never spans partitions.
 */
export function partitionOfMarket(marketId: MarketId, count: number): number {
  if (count === 1) return 0;
  const id = firstOfEvent(marketId);
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return ((hash ^ (hash >>> 13)) >>> 0) % count;
}

function firstOfEvent(marketId: MarketId): MarketId {
  const outcome = readOutcomeMarketId(marketId);
  return outcome === undefined ? marketId : toOutcomeMarketId(marketId, 0, outcome.count);
}

/** A sequence number in the journal of one partition out of `count`. */
export interface PartitionPlace {
  readonly partition: number;
  readonly seq: number;
}

/**
 * One number for a place, unique over all partitions and growing within each. With one partition it equals the sequence
 * number.
 */
export function toServiceSeq({ partition, seq }: PartitionPlace, count: number): number {
  return seq * count + partition;
}

export function fromServiceSeq(serviceSeq: number, count: number): PartitionPlace {
  const partition = serviceSeq % count;
  return { partition, seq: (serviceSeq - partition) / count };
}

/**
 * Replaces trade ids, which are places in the journal, by service-wide numbers. With one partition the answer is
 * unchanged.
 */
export function toServiceAnswer(
  answer: OrderAnswer,
  { partition, count }: { readonly partition: number; readonly count: number },
): OrderAnswer {
  if (count === 1 || answer.trades.length === 0) return answer;
  const trades = answer.trades.map((fill) => ({ ...fill, id: toServiceSeq({ partition, seq: fill.id }, count) }));
  return { ...answer, trades };
}
