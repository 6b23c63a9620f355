// Describes a failed start: a fault that a person can fix in a sentence, a defect with its stack.
import { messageOf } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import { ConfigInvalid } from '../config.ts';

export interface StartFailure {
  readonly message: string;
  /** Faults of the configuration. */
  readonly faults?: readonly string[];
  /** Given only for a defect: other failures name their cause and what to do. */
  readonly stack?: string;
}

export function describeFailure(error: unknown): StartFailure {
  if (error instanceof ConfigInvalid) return { message: error.message, faults: error.faults };
  if (!(error instanceof Error)) return { message: String(error) };
  if (isErrorCode(error, 'EADDRINUSE') && 'port' in error) {
    const remedy = 'choose another with PRESAGE_PORT or PRESAGE_ADMIN_PORT, or stop what listens there';
    return { message: `Port ${error.port} is taken: ${remedy}.` };
  }
  const { stack } = error;
  return { message: toSentence(error), ...(isDefect(error) && stack && { stack }) };
}

/** Errors of these types are defects. */
function isDefect(error: Error): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** A host name with several addresses fails with an aggregate of errors and no message of its own. */
function toSentence(error: Error): string {
  if (error.message !== '') return error.message;
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return parts.length > 0 ? parts.map((part) => messageOf(part)).join('; ') : error.name;
}
