// Types of an operator's request: who asks for an action and why, and how it is recorded.
import type { OperatorActed, OperatorAction } from '@presage/protocol';

/** Writes to the control partition, all records or none; resolves once they are durable and applied. */
export type NoteAction = (...records: readonly OperatorActed[]) => Promise<void>;

/** The acting key and its stated reason. */
export interface Asked {
  readonly actor: string;
  readonly reason: string;
  /** The confirmed request, if the action needed one. */
  readonly approval?: NonNullable<OperatorActed['approval']> | undefined;
}

/** Records an operator's actions, all or none; resolves once they are durable and applied. */
export type Act = (asked: Asked, ...actions: readonly OperatorAction[]) => Promise<void>;
