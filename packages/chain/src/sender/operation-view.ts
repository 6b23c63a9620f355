// An operation as its caller sees it, derived from the nonce that serves it; and the callers that wait for an operation or for capacity.
import type { Hex } from '@presage/protocol';
import type { Receipt } from '../node-reader.ts';
import type { Slot } from './nonce-slot.ts';

type OperationStage = 'reserved' | 'signed' | 'submitted' | 'mined' | 'confirmed' | 'failed' | 'retrying' | 'abandoned';

export interface OperationView {
  readonly operationId: string;
  readonly stage: OperationStage;
  readonly nonce: number;
  /** Hash of the mined transaction, else of the newest attempt; null while nothing is signed. */
  readonly hash: Hex | null;
  /** Every hash signed for it that could have carried its payload. */
  readonly hashes: readonly Hex[];
  readonly blockNumber: number | null;
  readonly blockHash: Hex | null;
  readonly reason: string | null;
  /** No longer watched: the stage is final. */
  readonly final: boolean;
}

/** Facts of an operation apart from its nonce. */
export interface Operation {
  /** Distinguishes a repeated request from a different one under the same id, without keeping the bytes. */
  readonly digest: string;
  nonce: number;
  hashes: Hex[];
  reason: string | null;
  closed: OperationView | null;
}

export function toView(operationId: string, operation: Operation, slot: Slot | undefined): OperationView {
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

function toMinedStage(slot: Slot, mined: Receipt): OperationStage {
  if (!slot.confirmed) return 'mined';
  if (slot.attempts.find(({ hash }) => hash === mined.hash)?.kind === 'free') return 'abandoned';
  return mined.status === 'success' ? 'confirmed' : 'failed';
}

/** The operation is being given up. It may still have been executed, so check its final stage. */
export class OperationGivenUp extends Error {
  override readonly name = 'OperationGivenUp';
  readonly operation: OperationView;

  constructor(operation: OperationView) {
    super(`${operation.operationId}: ${operation.reason ?? operation.stage}`);
    this.operation = operation;
  }
}

interface Waiter {
  readonly resolve: (operation: OperationView) => void;
  readonly reject: (error: Error) => void;
}

const ON_THE_WIRE = new Set(['submitted', 'mined', 'confirmed', 'failed']);

export class OperationWaiters {
  readonly #submitted = new Map<string, Waiter[]>();
  #capacity: { hasCapacity: () => boolean; enter: () => void; reject: (error: Error) => void } | null = null;
  #ended: Error | null = null;

  submitted(operation: OperationView, look: () => OperationView | undefined): Promise<OperationView> {
    return new Promise((resolve, reject) => {
      const { operationId } = operation;
      if (this.#ended !== null) return reject(this.#ended);
      this.#submitted.set(operationId, [...(this.#submitted.get(operationId) ?? []), { resolve, reject }]);
      this.notify(look() ?? operation);
    });
  }

  notify(operation: OperationView): void {
    const isOut = ON_THE_WIRE.has(operation.stage);
    const isGivenUp = operation.stage === 'abandoned' || operation.reason !== null;
    if (!isOut && !isGivenUp) return;
    const waiters = this.#submitted.get(operation.operationId) ?? [];
    this.#submitted.delete(operation.operationId);
    for (const { resolve, reject } of waiters) {
      if (isOut) resolve(operation);
      else reject(new OperationGivenUp(operation));
    }
  }

  /** Only one caller waits here at a time; the others wait in the sender's queue. */
  capacity(hasCapacity: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended);
      this.#capacity = { hasCapacity, enter: resolve, reject };
      this.notifyCapacity();
    });
  }

  notifyCapacity(): void {
    if (this.#capacity === null || !this.#capacity.hasCapacity()) return;
    this.#capacity.enter();
    this.#capacity = null;
  }

  end(error: Error): void {
    this.#ended = error;
    for (const waiters of this.#submitted.values()) for (const { reject } of waiters) reject(error);
    this.#capacity?.reject(error);
    this.#submitted.clear();
    this.#capacity = null;
  }
}
