// From a failure of any kind to the one body that every refusal has.
import { PresageError } from '@presage/protocol';
import type { Wire } from './answer.ts';

/** Our refusals keep their code, and everything else is an internal failure. */
export function toPresageError(error: unknown): PresageError {
  return error instanceof PresageError ? error : new PresageError('internal');
}

export function toRefusalBody(error: PresageError, requestId: string): Wire<'ErrorBody'> {
  return { error: error.message, code: error.code, ...(error.details && { details: error.details }), requestId };
}
