// Maps any error to the one body format of refusals.
import { PresageError } from '@presage/protocol';
import type { Wire } from './answer.ts';

/** Keeps our own errors; any other error becomes `internal`. */
export function toPresageError(error: unknown): PresageError {
  return error instanceof PresageError ? error : new PresageError('internal');
}

export function toRefusalBody(error: PresageError, requestId: string): Wire<'ErrorBody'> {
  return { error: error.message, code: error.code, ...(error.details && { details: error.details }), requestId };
}
