// The events of webhooks, and their mapping from journal records.
import { isDecided, type JournalRecord } from '@presage/protocol';

export const PUBLIC_TOPICS = ['trade_settled', 'market_resolved'] as const;
export type PublicTopic = (typeof PUBLIC_TOPICS)[number];
export type WebhookTopic = PublicTopic | 'alarm';

export interface WebhookEvent {
  /** Id of the event; the same at every attempt and after a restart, so that a receiver can ignore repeats. */
  readonly id: string;
  readonly topic: WebhookTopic;
  /** Sequence in the journal's partition; alarms have their own count. */
  readonly seq: number;
  readonly data: object;
}

/** Data of a record's event on a topic; undefined if it has none. */
export function toEventData(topic: PublicTopic, record: JournalRecord): object | undefined {
  if (topic === 'trade_settled') {
    // A revived trade counts too: it had failed before, so it was never reported as settled.
    if (!(record.type === 'trade-moved' || record.type === 'trade-revived') || record.stage !== 'confirmed')
      return undefined;
    const { marketId, tradeId, settlement, timeMs } = record;
    return { marketId, tradeId, ...(settlement && { txHash: settlement.transactionHash }), timeMs };
  }
  if (record.type !== 'resolution-changed' || !isDecided(record.resolution)) return undefined;
  const { marketId, resolution, timeMs } = record;
  return { marketId, ...resolution, timeMs };
}
