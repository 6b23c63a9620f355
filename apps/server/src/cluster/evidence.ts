// Finds out from the journal whether a command without an answer was carried out after all.
import { type FrameRef, toFrameSeal } from '@presage/journal';
import { type EngineEvent, encodeRecord, isEngineEvent, type JournalRecord } from '@presage/protocol';
import type { PartitionLog } from '../host/partition-log.ts';
import type { HostCommand, MarketReads } from '../host/ports.ts';

/** Placing needs no evidence: the engine repeats its first answer to an order that it knows. */
export async function findEvidence(log: PartitionLog, fromSeq: number, command: HostCommand) {
  if (command.type === 'place-order' || command.type === 'cancel-orders' || command.type === 'tick') return undefined;
  for await (const { records, firstSeq } of log.read(fromSeq)) {
    const at = records.findIndex((record) => isEngineEvent(record) && isOutcome(command, record));
    if (at < 0) continue;
    const events = stepAt(records, at);
    return { events, firstSeq: firstSeq + at, lastSeq: firstSeq + at + events.length - 1 };
  }
  return undefined;
}

/** Orders that a cancel-all has cancelled since. It may be carried out again, and then finds only the rest. */
export async function findCancelled(
  { log, reads }: { readonly log: PartitionLog; readonly reads: Pick<MarketReads, 'facts'> },
  fromSeq: number,
  command: HostCommand,
): Promise<readonly EngineEvent[]> {
  if (command.type !== 'cancel-orders') return [];
  const { trader, reason, marketId, chainId } = command;
  const found: EngineEvent[] = [];
  for await (const { records } of log.read(fromSeq)) {
    for (const record of records) {
      if (record.type !== 'order-cancelled' || record.trader !== trader || record.reason !== reason) continue;
      if (marketId !== undefined && record.marketId !== marketId) continue;
      if (chainId === undefined || reads.facts(record.marketId)?.chainId === chainId) found.push(record);
    }
  }
  return found;
}

/** Finds where the same bytes were appended. The last record stands for all, since they were written together. */
export async function findAppended(
  log: PartitionLog,
  fromSeq: number,
  records: readonly JournalRecord[],
): Promise<FrameRef | undefined> {
  const wanted = records.at(-1);
  if (wanted === undefined) return undefined;
  const bytes = encodeRecord(wanted);
  for await (const frame of log.readFrames(fromSeq)) {
    const at = frame.records.findIndex((record) => Buffer.compare(record, bytes) === 0);
    const lastSeq = frame.firstSeq + at;
    if (at < 0 || lastSeq < fromSeq) continue;
    return { firstSeq: lastSeq - records.length + 1, lastSeq, timeMs: frame.timeMs, frame: toFrameSeal(frame) };
  }
  return undefined;
}

/** Events from index `at` to the end of the step. */
function stepAt(records: readonly JournalRecord[], at: number): EngineEvent[] {
  const rest = records.slice(at).filter(isEngineEvent);
  const first = rest[0]!; // that of `at`, which is an event
  const end = rest.findIndex(({ marketId, step }) => marketId !== first.marketId || step !== first.step);
  return end < 0 ? rest : rest.slice(0, end);
}

function isOutcome(command: HostCommand, event: EngineEvent): boolean {
  switch (command.type) {
    case 'cancel-order':
      return event.type === 'order-cancelled' && event.orderHash === command.orderHash;
    case 'list-market':
      return event.type === 'market-listed' && event.marketId === command.market.marketId;
    case 'close-market':
      return event.type === 'market-closed' && event.marketId === command.marketId;
    case 'move-trade':
      return event.type === 'trade-moved' && event.tradeId === command.tradeId && event.stage === command.stage;
    case 'fail-trade':
      return event.type === 'trade-failed' && event.tradeId === command.tradeId;
    // The same resolution twice changes nothing.
    default:
      return false;
  }
}
