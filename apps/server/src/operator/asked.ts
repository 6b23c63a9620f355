// Who asks for an action and why, and how an action is recorded.
import type { OperatorActed, OperatorAction } from '@presage/protocol';

/** Writes to the control partition, all records or none; resolves once they are durable and applied. */
export type NoteAction = (...records: readonly OperatorActed[]) => Promise<void>;

/** The acting key and its stated reason. */
export interface Asked {
  readonly actor: string;
  readonly reason: string;
  /** The request that another key confirmed. */
  readonly approval?: NonNullable<OperatorActed['approval']> | undefined;
}

/** Records what an operator asked for, all actions or none; resolves once they are durable and applied. */
export type Act = (asked: Asked, ...actions: readonly OperatorAction[]) => Promise<void>;
