// What stands in the journal: one versioned JSON object a record. Their schemas are in record-shapes.ts.

import type { Hex } from '../core/hex.ts';
import type { Address, MarketId } from '../core/ids.ts';
import type { QuickMarketChanged } from '../core/quick-market.ts';
import type { SignedFrame } from '../signing/receipt.ts';
import type { ChainNoted } from './chain-records.ts';
import type { EngineEvent } from './engine-events.ts';
import type { OperatorActed } from './operator-records.ts';
import type { PermitChanged } from './permit-records.ts';
import type { ResolutionRecord } from './resolution-records.ts';

/** The sandbox's time travel: service clock = wall clock + offset. */
export interface ClockOffsetSet {
  readonly type: 'clock-offset-set';
  readonly timeMs: number;
  readonly offsetSeconds: number;
}

/** A wallet made itself an API key; only the public half is ever kept. */
export interface ApiKeyRegistered {
  readonly type: 'api-key-registered';
  readonly timeMs: number;
  readonly keyId: string;
  readonly owner: Address;
  /** 64 hex digits. */
  readonly publicKey: string;
  readonly name: string;
  /** Unix seconds, wall time. */
  readonly createdAt: number;
  readonly expiresAt?: number;
}

export interface ApiKeyRevoked {
  readonly type: 'api-key-revoked';
  readonly timeMs: number;
  readonly keyId: string;
}

/** A bearer token was used: it is good once. */
export interface TokenUsed {
  readonly type: 'token-used';
  readonly timeMs: number;
  readonly keyId: string;
  readonly nonce: string;
  /** Unix seconds. */
  readonly issuedAt: number;
}

/** A wallet's dead-man switch: armed until `lapseMs` of wall time, or disarmed with 0. */
export interface HeartbeatSet {
  readonly type: 'heartbeat-set';
  readonly timeMs: number;
  readonly trader: Address;
  readonly lapseMs: number;
}

/** The sandbox says what an asset costs, from a second of service time until it says otherwise. */
export interface PricePinned {
  readonly type: 'price-pinned';
  readonly timeMs: number;
  readonly asset: string;
  /** Unix seconds: the first price that it holds for. */
  readonly from: number;
  /** With eight decimals; null gives the asset back to the simulated market. */
  readonly price: number | null;
}

/** The sandbox's demo maker was switched on or off. */
export interface MakerSet {
  readonly type: 'maker-set';
  readonly timeMs: number;
  readonly running: boolean;
}

/** Over how many partitions the markets are spread: written once, before the first market, where it is more than one. */
interface PartitionsSet {
  readonly type: 'partitions-set';
  readonly timeMs: number;
  readonly count: number;
}

/** The heads of all partitions whose hash goes on chain; written before it is sent, so that every anchor on chain can be opened. */
export interface JournalAnchored {
  readonly type: 'journal-anchored';
  readonly timeMs: number;
  readonly hash: Hex;
  readonly heads: readonly SignedFrame[];
}

/** The chain's balances of a wallet at a block, in the market's partition: what the confirmed part of the view must equal. */
export interface PositionSyncRecord {
  readonly type: 'position-synced';
  readonly timeMs: number;
  readonly marketId: MarketId;
  readonly userAddress: Address;
  /** Decimal strings: balances are uint256. */
  readonly yesShares: string;
  readonly noShares: string;
  readonly blockNumber: number;
}

export type JournalRecord =
  | EngineEvent
  | ClockOffsetSet
  | ApiKeyRegistered
  | ApiKeyRevoked
  | TokenUsed
  | HeartbeatSet
  | MakerSet
  | PricePinned
  | PartitionsSet
  | ChainNoted
  | JournalAnchored
  | PositionSyncRecord
  | PermitChanged
  | ResolutionRecord
  | QuickMarketChanged
  | OperatorActed;

export type RecordType = JournalRecord['type'];
export type RecordOf<Name extends RecordType> = Extract<JournalRecord, { readonly type: Name }>;

/** Records that change the engine's state; the others are facts for views and for those who follow the chain. */
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
