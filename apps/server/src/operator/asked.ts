// Who asks for an action and why, and how an action is recorded.
import type { OperatorActed, OperatorAction } from '@presage/protocol';

/** Writes to the control partition; resolves once the record is durable and applied. */
export type NoteAction = (record: OperatorActed) => Promise<void>;

/** The acting key and its stated reason. */
export interface Asked {
  readonly actor: string;
  readonly reason: string;
  /** The request that another key confirmed. */
  readonly approval?: NonNullable<OperatorActed['approval']> | undefined;
}

/** Records an action of an operator; resolves once it is durable and applied. */
export type Act = (asked: Asked, action: OperatorAction) => Promise<void>;
