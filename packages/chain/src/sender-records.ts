// The durable records of a transaction sender, checked before they are written and after they are read.

import type { Hex } from '@presage/protocol';
import type { Address } from 'viem';
import { isAddress } from 'viem';
import { type Check, isAmount, isBytes, isCount, isHash, isText } from './record-checks.ts';

export const SENDER_RECORD_VERSION = 1;

/** What the transaction does; amounts are decimal strings so that a record is plain JSON. */
export interface RecordedRequest {
  readonly to: Address;
  readonly data: Hex;
  readonly value: string;
  readonly gasLimit: string;
}

interface Common {
  readonly v: typeof SENDER_RECORD_VERSION;
  readonly operationId: string;
  readonly nonce: number;
}

/** The nonce belongs to this operation from now on. `gap` = a self-transfer that only fills a hole. */
export interface NonceReserved extends Common {
  readonly type: 'nonce-reserved';
  readonly purpose: 'operation' | 'gap';
  readonly request: RecordedRequest;
}

/** Signed bytes that may leave the process from now on. `free` = a self-transfer in place of the payload. */
export interface TransactionSigned extends Common {
  readonly type: 'transaction-signed';
  readonly attempt: number;
  readonly kind: 'payload' | 'free';
  readonly hash: Hex;
  readonly raw: Hex;
  readonly maxFeePerGas: string;
  readonly maxPriorityFeePerGas: string;
}

/** A node was seen to hold this transaction. */
interface TransactionBroadcast extends Common {
  readonly type: 'transaction-broadcast';
  readonly hash: Hex;
}

export interface TransactionMined extends Common {
  readonly type: 'transaction-mined';
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly status: 'success' | 'reverted';
}

/** The block that held it is no longer part of the chain. */
export interface TransactionUnmined extends Common {
  readonly type: 'transaction-unmined';
  readonly hash: Hex;
  readonly blockHash: Hex;
}

export interface TransactionConfirmed extends Common {
  readonly type: 'transaction-confirmed';
  readonly hash: Hex;
  readonly blockHash: Hex;
}

/** Too deep to be watched any longer; the nonce is closed. */
interface TransactionFinalized extends Common {
  readonly type: 'transaction-finalized';
  readonly hash: Hex;
}

/** The operation is no longer wanted: its nonce is to be freed by a self-transfer. */
export interface OperationAbandoned extends Common {
  readonly type: 'operation-abandoned';
  readonly reason: string;
}

/** Somebody else's transaction took the nonce and is too deep to vanish: ours can never be mined there. */
export interface NonceLost extends Common {
  readonly type: 'nonce-lost';
  readonly foreignHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
}

export type SenderRecord =
  | NonceReserved
  | TransactionSigned
  | TransactionBroadcast
  | TransactionMined
  | TransactionUnmined
  | TransactionConfirmed
  | TransactionFinalized
  | OperationAbandoned
  | NonceLost;

/** Where records go. Records appended in one order must be stored in that order. */
export interface SenderJournal {
  /** Resolves when the record is durable; a rejection ends the sender for good. */
  append(record: SenderRecord): Promise<void>;
}

export class SenderRecordInvalid extends Error {
  override readonly name = 'SenderRecordInvalid';
}

const oneOf =
  (...words: string[]): Check =>
  (value) =>
    words.includes(value as string);

function isRequest(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { to, data, value: amount, gasLimit } = value as Record<string, unknown>;
  return isAddress(to as string, { strict: false }) && isBytes(data) && isAmount(amount) && isAmount(gasLimit);
}

const FIELDS: Readonly<Record<SenderRecord['type'], Readonly<Record<string, Check>>>> = {
  'nonce-reserved': { purpose: oneOf('operation', 'gap'), request: isRequest },
  'transaction-signed': {
    attempt: isCount,
    kind: oneOf('payload', 'free'),
    hash: isHash,
    raw: isBytes,
    maxFeePerGas: isAmount,
    maxPriorityFeePerGas: isAmount,
  },
  'transaction-broadcast': { hash: isHash },
  'transaction-mined': {
    hash: isHash,
    blockNumber: isCount,
    blockHash: isHash,
    status: oneOf('success', 'reverted'),
  },
  'transaction-unmined': { hash: isHash, blockHash: isHash },
  'transaction-confirmed': { hash: isHash, blockHash: isHash },
  'transaction-finalized': { hash: isHash },
  'operation-abandoned': { reason: isText },
  'nonce-lost': { foreignHash: isHash, blockNumber: isCount, blockHash: isHash },
};

/** Returns the value as a record, or throws naming the first field that is wrong. */
export function checkSenderRecord(value: unknown): SenderRecord {
  if (typeof value !== 'object' || value === null) throw new SenderRecordInvalid('not an object');
  const fields = value as Record<string, unknown>;
  if (fields.v !== SENDER_RECORD_VERSION) throw new SenderRecordInvalid(`unknown version ${String(fields.v)}`);
  const own = Object.hasOwn(FIELDS, String(fields.type)) ? FIELDS[fields.type as SenderRecord['type']] : undefined;
  if (own === undefined) throw new SenderRecordInvalid(`unknown type ${String(fields.type)}`);
  for (const [name, check] of Object.entries({ operationId: isText, nonce: isCount, ...own })) {
    if (!check(fields[name])) throw new SenderRecordInvalid(`${String(fields.type)}: bad field ${name}`);
  }
  return value as SenderRecord;
}
