// State folded from a sender's records: the nonces it holds and the operations they serve.
import { createHash } from 'node:crypto';
import type {
  NonceReserved,
  OperationAbandoned,
  RecordedRequest,
  SenderRecord,
  TransactionSigned,
} from '@presage/protocol/sender-records';
import {
  type Attempt,
  confirm,
  conflict,
  lose,
  mine,
  openSlot,
  SenderRecordConflict,
  type Slot,
  unmine,
} from './nonce-slot.ts';
import { type Operation, type OperationView, toView } from './operation-view.ts';
import { isUnsigned } from './unsigned-operations.ts';

/** A watched nonce in plain JSON. */
type SlotJson = Omit<Slot, 'attempts'> & {
  readonly attempts: readonly (Omit<Attempt, 'fees'> & {
    readonly fees: { readonly maxFeePerGas: string; readonly maxPriorityFeePerGas: string };
  })[];
};

/** The whole state in plain JSON: the starting point of a restart instead of all records. */
export interface SenderSnapshot {
  readonly v: 1;
  readonly nextNonce: number | null;
  readonly slots: readonly SlotJson[];
  /** Oldest first: they are evicted in this order. */
  readonly operations: readonly (readonly [operationId: string, operation: Operation])[];
}

export class SenderState {
  readonly #slots = new Map<number, Slot>();
  readonly #operations = new Map<string, Operation>();
  readonly #retained: number;
  #nextNonce: number | null = null;

  constructor(options: { retainFinalized: number; snapshot?: SenderSnapshot | undefined }) {
    this.#retained = options.retainFinalized;
    if (options.snapshot !== undefined) this.#restore(options.snapshot);
  }

  /** Equal states give equal snapshots. */
  snapshot(): SenderSnapshot {
    return {
      v: 1,
      nextNonce: this.#nextNonce,
      slots: this.slots().map(toSlotJson),
      operations: [...this.#operations].map(([id, operation]) => [id, { ...operation, hashes: [...operation.hashes] }]),
    };
  }

  /** One past the highest nonce that was reserved for the account; null before the first. */
  get nextNonce(): number | null {
    return this.#nextNonce;
  }

  /** The watched nonces, lowest first. */
  slots(): Slot[] {
    return [...this.#slots.values()].sort((a, b) => a.nonce - b.nonce);
  }

  /** Number of held nonces that are not mined. */
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

  /** Nonces taken by another sender whose operation holds no other nonce yet. */
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

  /** Applies one durable record; live operation and replay share this code. */
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

  #restore({ v, nextNonce, slots, operations }: SenderSnapshot): void {
    if (v !== 1) throw new SenderRecordConflict(`unknown version ${String(v)} of a sender's snapshot`);
    this.#nextNonce = nextNonce;
    for (const slot of slots) this.#slots.set(slot.nonce, fromSlotJson(slot));
    for (const [id, operation] of operations) {
      this.#operations.set(id, { ...operation, hashes: [...operation.hashes] });
    }
  }

  #reserve(record: NonceReserved): void {
    if (this.#slots.has(record.nonce)) throw conflict(record, 'nonce is already held');
    const { nonce, operationId, request } = record;
    const known = this.#operations.get(operationId);
    const previous = known === undefined ? undefined : this.#slots.get(known.nonce);
    const isMove = previous !== undefined && isUnsigned(previous);
    if (known !== undefined && !isMove && (previous?.lostTo ?? null) === null)
      throw conflict(record, 'still has a nonce');
    if (isMove) this.#slots.delete(previous.nonce);
    // A lower one while nothing is held is of another account; one that was never signed leaves nothing at its nonce.
    const isAnew = this.#slots.size === 0;
    this.#slots.set(nonce, { ...openSlot(record), freeing: isMove && previous.freeing });
    if (isMove) this.#nextNonce = Math.max(...this.#slots.keys()) + 1;
    else this.#nextNonce = isAnew ? nonce + 1 : Math.max(this.#nextNonce ?? 0, nonce + 1);
    if (known !== undefined) known.nonce = nonce;
    else
      this.#operations.set(operationId, { digest: digestOf(request), nonce, hashes: [], reason: null, closed: null });
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

  /** Keeps the result and drops the bytes; evicts the oldest results above the limit. */
  #finalize(slot: Slot): void {
    this.#slots.delete(slot.nonce);
    const operation = this.#operations.get(slot.operationId);
    if (operation?.nonce !== slot.nonce) return;
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
  // Without the gas limit, which is estimated anew for each request.
  return createHash('sha256').update(`${to}|${data}|${value}`.toLowerCase()).digest('base64');
}

function toSlotJson(slot: Slot): SlotJson {
  const attempts = slot.attempts.map(({ fees, ...attempt }) => ({
    ...attempt,
    fees: { maxFeePerGas: `${fees.maxFeePerGas}`, maxPriorityFeePerGas: `${fees.maxPriorityFeePerGas}` },
  }));
  return { ...slot, attempts };
}

function fromSlotJson(slot: SlotJson): Slot {
  const attempts = slot.attempts.map(({ fees, ...attempt }) => ({
    ...attempt,
    fees: { maxFeePerGas: BigInt(fees.maxFeePerGas), maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas) },
  }));
  return { ...slot, attempts };
}
