// An operation as its caller sees it, derived from the nonce that serves it.
import type { Hex } from '@presage/protocol';
import type { MinedFact, Slot } from './nonce-slot.ts';

type OperationStage = 'reserved' | 'signed' | 'submitted' | 'mined' | 'confirmed' | 'failed' | 'retrying' | 'abandoned';

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

/** What is known of an operation apart from its nonce. */
export interface Operation {
  /** Distinguishes a repeated request from another one under the same id, without keeping the bytes. */
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

function toMinedStage(slot: Slot, mined: MinedFact): OperationStage {
  if (!slot.confirmed) return 'mined';
  if (slot.attempts.find(({ hash }) => hash === mined.hash)?.kind === 'free') return 'abandoned';
  return mined.status === 'success' ? 'confirmed' : 'failed';
}
