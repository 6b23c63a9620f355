// The types of journal records. Frequent ones are written as bytes (hot-records.ts), all others as versioned JSON (record-shapes.ts).
import type { QuickMarketChanged } from '../core/quick-market.ts';
import type { ChainNoted } from './chain-records.ts';
import type { EngineEvent } from './engine-events.ts';
import type { OperatorActed } from './operator-records.ts';
import type { PermitChanged } from './permit-records.ts';
import type { ResolutionRecord } from './resolution-records.ts';
import type { TradeRevived } from './revival-records.ts';
import type { ServiceRecord } from './service-records.ts';

export type JournalRecord =
  | EngineEvent
  | ServiceRecord
  | ChainNoted
  | TradeRevived
  | PermitChanged
  | ResolutionRecord
  | QuickMarketChanged
  | OperatorActed;

export type RecordType = JournalRecord['type'];
export type RecordOf<Name extends RecordType> = Extract<JournalRecord, { readonly type: Name }>;

/** Records that change the engine's state; the others are facts for views and for followers of the chain. */
const CHANGES_ENGINE: { readonly [Name in RecordType]: Name extends EngineEvent['type'] ? true : false } = {
  'market-listed': true,
  'market-closed': true,
  'order-accepted': true,
  'trade-matched': true,
  'order-cancelled': true,
  'order-restored': true,
  'trade-moved': true,
  'trade-failed': true,
  'resolution-changed': true,
  'clock-offset-set': false,
  'api-key-registered': false,
  'api-key-revoked': false,
  'token-used': false,
  'heartbeat-set': false,
  'maker-set': false,
  'price-pinned': false,
  'partitions-set': false,
  'position-synced': false,
  'chain-noted': false,
  'journal-anchored': false,
  'trade-revived': false,
  'permit-changed': false,
  'shares-moved': false,
  'payout-redeemed': false,
  'chain-rewound': false,
  'claim-changed': false,
  'quick-market-changed': false,
  'operator-acted': false,
};

export function isEngineEvent(record: JournalRecord): record is EngineEvent {
  return CHANGES_ENGINE[record.type];
}
