// The events that webhooks tell, and how records of the journal become such events.
import { isDecided, type JournalRecord } from '@presage/protocol';

export const PUBLIC_TOPICS = ['trade_settled', 'market_resolved'] as const;
export type PublicTopic = (typeof PUBLIC_TOPICS)[number];
export type WebhookTopic = PublicTopic | 'alarm';

export interface WebhookEvent {
  /** The same at every attempt, also after a restart: a receiver that has seen it ignores it. */
  readonly id: string;
  readonly topic: WebhookTopic;
  /** Place in the journal's partition; alarms are counted by themselves. */
  readonly seq: number;
  readonly data: object;
}

/** What a record tells on a topic; undefined if it is nothing. */
export function toEventData(topic: PublicTopic, record: JournalRecord): object | undefined {
  if (topic === 'trade_settled') {
    // A failed trade that a deep reorganization settled was not told before.
    if (!(record.type === 'trade-moved' || record.type === 'trade-revived') || record.stage !== 'confirmed')
      return undefined;
    const { marketId, tradeId, settlement, timeMs } = record;
    return { marketId, tradeId, ...(settlement && { txHash: settlement.transactionHash }), timeMs };
  }
  if (record.type !== 'resolution-changed' || !isDecided(record.resolution)) return undefined;
  const { marketId, resolution, timeMs } = record;
  return { marketId, ...resolution, timeMs };
}
