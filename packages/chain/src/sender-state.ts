// What a sender's records add up to: the nonces it holds and the operations they serve.
import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import type { Fees } from './fees.ts';
import type {
  NonceLost,
  NonceReserved,
  OperationAbandoned,
  RecordedRequest,
  SenderRecord,
  TransactionConfirmed,
  TransactionMined,
  TransactionSigned,
  TransactionUnmined,
} from './sender-records.ts';

export interface Attempt {
  readonly attempt: number;
  readonly kind: 'payload' | 'free';
  readonly hash: Hex;
  readonly raw: Hex;
  readonly fees: Fees;
}

export interface MinedFact {
  readonly hash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly status: 'success' | 'reverted';
}

/** One nonce of the account and everything ever signed for it. */
export interface Slot {
  readonly nonce: number;
  readonly operationId: string;
  readonly purpose: 'operation' | 'gap';
  readonly request: RecordedRequest;
  attempts: Attempt[];
  submitted: Hex | null;
  mined: MinedFact | null;
  confirmed: boolean;
  /** Was mined once and lost its block. */
  displaced: boolean;
  /** The payload is no longer wanted here. */
  freeing: boolean;
  /** Its operation has moved on to another nonce; the hash is the transaction that took this one. */
  lostTo: Hex | null;
}

export type OperationStage =
  | 'reserved'
  | 'signed'
  | 'submitted'
  | 'mined'
  | 'confirmed'
  | 'failed'
  | 'retrying'
  | 'abandoned';

/** An operation as its caller sees it. */
export interface OperationView {
  readonly operationId: string;
  readonly stage: OperationStage;
  readonly nonce: number;
  /** The mined transaction, else the newest one; null while nothing is signed. */
  readonly hash: Hex | null;
  /** Every hash ever signed for it that could have carried its payload. */
  readonly hashes: readonly Hex[];
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
  readonly reason: string | null;
  /** Watched no longer: the stage is final. */
  readonly final: boolean;
}

interface Operation {
  /** Tells a repeated request from another one under the same id, without keeping the bytes. */
  readonly digest: string;
  nonce: number;
  hashes: Hex[];
  reason: string | null;
  closed: OperationView | null;
}

export class SenderRecordConflict extends Error {
  override readonly name = 'SenderRecordConflict';
}

export class SenderState {
  readonly #slots = new Map<number, Slot>();
  readonly #operations = new Map<string, Operation>();
  readonly #retained: number;
  #nextNonce: number | null = null;

  constructor(options: { retainFinalized: number }) {
    this.#retained = options.retainFinalized;
  }

  /** One past the highest nonce ever reserved; null before the first. */
  get nextNonce(): number | null {
    return this.#nextNonce;
  }

  /** The nonces still watched, lowest first. */
  slots(): Slot[] {
    return [...this.#slots.values()].sort((a, b) => a.nonce - b.nonce);
  }

  /** Nonces held and not mined. */
  get openCount(): number {
    let count = 0;
    for (const slot of this.#slots.values()) if (slot.mined === null) count += 1;
    return count;
  }

  slot(nonce: number): Slot | undefined {
    return this.#slots.get(nonce);
  }

  digest(operationId: string): string | undefined {
    return this.#operations.get(operationId)?.digest;
  }

  /** Operations whose nonce was lost to a stranger and that hold no other yet. */
  homeless(): Slot[] {
    return this.slots()
      .filter((slot) => slot.lostTo !== null && slot.purpose === 'operation' && !slot.freeing)
      .filter((slot) => this.#operations.get(slot.operationId)?.nonce === slot.nonce);
  }

  operation(operationId: string): OperationView | undefined {
    const operation = this.#operations.get(operationId);
    if (operation === undefined) return undefined;
    return operation.closed ?? toView(operationId, operation, this.#slots.get(operation.nonce));
  }

  /** Folds one durable record in; the same code serves live operation and replay. */
  apply(record: SenderRecord): void {
    if (record.type === 'nonce-reserved') {
      this.#reserve(record);
      return;
    }
    const slot = this.#slots.get(record.nonce);
    if (slot === undefined || slot.operationId !== record.operationId) throw conflict(record, 'holds no such nonce');
    if (record.type === 'transaction-signed') this.#sign(slot, record);
    if (record.type === 'transaction-broadcast') slot.submitted = record.hash;
    if (record.type === 'transaction-mined') mine(slot, record);
    if (record.type === 'transaction-unmined') unmine(slot, record);
    if (record.type === 'transaction-confirmed') confirm(slot, record);
    if (record.type === 'transaction-finalized') this.#finalize(slot);
    if (record.type === 'operation-abandoned') this.#abandon(slot, record);
    if (record.type === 'nonce-lost') lose(slot, record);
  }

  #reserve(record: NonceReserved): void {
    if (this.#slots.has(record.nonce)) throw conflict(record, 'nonce is already held');
    const { nonce, operationId, purpose, request } = record;
    const known = this.#operations.get(operationId);
    const former = known === undefined ? undefined : this.#slots.get(known.nonce);
    if (known !== undefined && (former?.lostTo ?? null) === null) throw conflict(record, 'still has a nonce');
    this.#slots.set(nonce, {
      ...{ nonce, operationId, purpose, request },
      ...{
        attempts: [],
        submitted: null,
        mined: null,
        confirmed: false,
        displaced: false,
        freeing: false,
        lostTo: null,
      },
    });
    if (known !== undefined) known.nonce = nonce;
    else
      this.#operations.set(operationId, { digest: digestOf(request), nonce, hashes: [], reason: null, closed: null });
    this.#nextNonce = Math.max(this.#nextNonce ?? 0, nonce + 1);
  }

  #sign(slot: Slot, record: TransactionSigned): void {
    if (record.attempt !== slot.attempts.length) throw conflict(record, `expected attempt ${slot.attempts.length}`);
    const fees = {
      maxFeePerGas: BigInt(record.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(record.maxPriorityFeePerGas),
    };
    slot.attempts.push({ attempt: record.attempt, kind: record.kind, hash: record.hash, raw: record.raw, fees });
    if (record.kind === 'payload') this.#own(slot.operationId).hashes.push(record.hash);
  }

  #abandon(slot: Slot, record: OperationAbandoned): void {
    slot.freeing = true;
    this.#own(record.operationId).reason = record.reason;
  }

  /** Keeps the answer, drops the bytes; the oldest answers go once there are too many. */
  #finalize(slot: Slot): void {
    this.#slots.delete(slot.nonce);
    const operation = this.#own(slot.operationId);
    if (operation.nonce !== slot.nonce) return;
    const view = toView(slot.operationId, operation, slot);
    this.#operations.delete(slot.operationId);
    if (slot.purpose === 'gap') return;
    this.#operations.set(slot.operationId, { ...operation, closed: { ...view, final: true } });
    this.#forgetOldest();
  }

  #forgetOldest(): void {
    if (this.#operations.size <= this.#retained) return;
    for (const [operationId, operation] of this.#operations) {
      if (operation.closed === null) continue;
      this.#operations.delete(operationId);
      return;
    }
  }

  #own(operationId: string): Operation {
    const operation = this.#operations.get(operationId);
    if (operation === undefined) throw new SenderRecordConflict(`unknown operation ${operationId}`);
    return operation;
  }
}

export function digestOf(request: RecordedRequest): string {
  const { to, data, value } = request;
  // Not the gas limit: it is estimated anew each time somebody asks.
  return createHash('sha256').update(`${to}|${data}|${value}`.toLowerCase()).digest('base64');
}

/** Every transaction that could be found at this nonce. */
export function hashesOf(slot: Slot): Hex[] {
  const own = slot.attempts.map(({ hash }) => hash);
  return slot.lostTo === null ? own : [...own, slot.lostTo];
}

function mine(slot: Slot, record: TransactionMined): void {
  if (slot.mined !== null) throw conflict(record, 'is already mined');
  if (!hashesOf(slot).includes(record.hash)) throw conflict(record, 'was never signed here');
  const { hash, blockNumber, blockHash, status } = record;
  slot.mined = { hash, blockNumber, blockHash, status };
}

function unmine(slot: Slot, record: TransactionUnmined): void {
  if (slot.mined?.blockHash !== record.blockHash) throw conflict(record, 'was not mined there');
  slot.mined = null;
  slot.confirmed = false;
  slot.submitted = null;
  slot.displaced = true;
}

function confirm(slot: Slot, record: TransactionConfirmed): void {
  if (slot.mined?.blockHash !== record.blockHash) throw conflict(record, 'was not mined there');
  slot.confirmed = true;
}

function lose(slot: Slot, record: NonceLost): void {
  if (slot.mined !== null) throw conflict(record, 'is mined');
  const { foreignHash, blockNumber, blockHash } = record;
  slot.lostTo = foreignHash;
  slot.mined = { hash: foreignHash, blockNumber, blockHash, status: 'success' };
  slot.confirmed = true;
}

function toView(operationId: string, operation: Operation, slot: Slot | undefined): OperationView {
  const minedHere = slot !== undefined && slot.lostTo === null ? slot.mined : null;
  return {
    operationId,
    stage: slot === undefined ? 'reserved' : toStage(slot),
    nonce: operation.nonce,
    hash: minedHere?.hash ?? slot?.attempts.at(-1)?.hash ?? operation.hashes.at(-1) ?? null,
    hashes: [...operation.hashes],
    blockNumber: minedHere?.blockNumber ?? null,
    blockHash: minedHere?.blockHash ?? null,
    reason: operation.reason,
    final: false,
  };
}

function toStage(slot: Slot): OperationStage {
  if (slot.lostTo !== null) return slot.freeing || slot.purpose === 'gap' ? 'abandoned' : 'retrying';
  if (slot.mined !== null) return toMinedStage(slot, slot.mined);
  if (slot.submitted !== null) return 'submitted';
  if (slot.displaced) return 'retrying';
  return slot.attempts.length > 0 ? 'signed' : 'reserved';
}

function toMinedStage(slot: Slot, mined: MinedFact): OperationStage {
  if (!slot.confirmed) return 'mined';
  if (slot.attempts.find(({ hash }) => hash === mined.hash)?.kind === 'free') return 'abandoned';
  return mined.status === 'success' ? 'confirmed' : 'failed';
}

function conflict(record: SenderRecord, why: string): SenderRecordConflict {
  return new SenderRecordConflict(`${record.type} of nonce ${record.nonce} (${record.operationId}): ${why}`);
}
