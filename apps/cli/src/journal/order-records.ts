// All journal records of one order: its acceptance, fills, settlement moves, end.
import type { JournalRecord, OrderHash } from '@presage/protocol';
import type { JournalDir, PlacedRecord } from './journal-dir.ts';

/** Oldest first; empty for an unknown order. */
export async function readOrderRecords(journal: JournalDir, orderHash: OrderHash): Promise<PlacedRecord[]> {
  const story: PlacedRecord[] = [];
  for (const partition of journal.marketPartitions) {
    const trades = new Set<string>();
    for await (const placed of journal.read(partition)) {
      if (!concerns(placed.record, orderHash, trades)) continue;
      if (placed.record.type === 'trade-matched') trades.add(tradeKey(placed.record));
      story.push(placed);
    }
  }
  return story;
}

function concerns(record: JournalRecord, orderHash: OrderHash, trades: ReadonlySet<string>): boolean {
  if (record.type === 'trade-matched') return record.makerHash === orderHash || record.takerHash === orderHash;
  if (record.type === 'trade-moved' || record.type === 'trade-failed') return trades.has(tradeKey(record));
  return 'orderHash' in record && record.orderHash === orderHash;
}

/** Trades are numbered per market. */
function tradeKey({ marketId, tradeId }: { readonly marketId: string; readonly tradeId: string }): string {
  return `${marketId} ${tradeId}`;
}
