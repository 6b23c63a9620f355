// One nonce of the account: its signed attempts, where it was mined, and the transitions between.
import type { Hex } from '@presage/protocol';
import type {
  NonceLost,
  NonceReserved,
  RecordedRequest,
  SenderRecord,
  TransactionConfirmed,
  TransactionMined,
  TransactionSigned,
  TransactionUnmined,
} from '@presage/protocol/sender-records';
import type { Receipt } from '../node-reader.ts';
import type { Fees } from './fees.ts';

export type Attempt = Pick<TransactionSigned, 'attempt' | 'kind' | 'hash' | 'raw'> & { readonly fees: Fees };

export interface Slot {
  readonly nonce: number;
  readonly operationId: string;
  readonly purpose: 'operation' | 'gap';
  readonly request: RecordedRequest;
  attempts: Attempt[];
  submitted: Hex | null;
  mined: Receipt | null;
  confirmed: boolean;
  /** The transaction was mined once and lost its block. */
  displaced: boolean;
  /** The payload is no longer wanted at this nonce. */
  freeing: boolean;
  /** The foreign transaction that took this nonce, if the operation has moved on to another one. */
  lostTo: Hex | null;
}

export class SenderRecordConflict extends Error {
  override readonly name = 'SenderRecordConflict';
}

export function openSlot({ nonce, operationId, purpose, request }: NonceReserved): Slot {
  return {
    nonce,
    operationId,
    purpose,
    request,
    attempts: [],
    submitted: null,
    mined: null,
    confirmed: false,
    displaced: false,
    freeing: false,
    lostTo: null,
  };
}

/** Hashes of every transaction that could be mined at this nonce. */
export function hashesOf(slot: Slot): Hex[] {
  const own = slot.attempts.map(({ hash }) => hash);
  return slot.lostTo === null ? own : [...own, slot.lostTo];
}

export function mine(slot: Slot, record: TransactionMined): void {
  if (slot.mined !== null) throw conflict(record, 'is already mined');
  if (!hashesOf(slot).includes(record.hash)) throw conflict(record, 'was never signed here');
  const { hash, blockNumber, blockHash, status } = record;
  slot.mined = { hash, blockNumber, blockHash, status };
}

export function unmine(slot: Slot, record: TransactionUnmined): void {
  if (slot.mined?.blockHash !== record.blockHash) throw conflict(record, 'was not mined there');
  slot.mined = null;
  slot.confirmed = false;
  slot.submitted = null;
  slot.displaced = true;
}

export function confirm(slot: Slot, record: TransactionConfirmed): void {
  if (slot.mined?.blockHash !== record.blockHash) throw conflict(record, 'was not mined there');
  slot.confirmed = true;
}

export function lose(slot: Slot, record: NonceLost): void {
  if (slot.mined !== null) throw conflict(record, 'is mined');
  const { foreignHash, blockNumber, blockHash } = record;
  slot.lostTo = foreignHash;
  slot.mined = { hash: foreignHash, blockNumber, blockHash, status: 'success' };
  slot.confirmed = true;
}

export function conflict(record: SenderRecord, why: string): SenderRecordConflict {
  return new SenderRecordConflict(`${record.type} of nonce ${record.nonce} (${record.operationId}): ${why}`);
}
