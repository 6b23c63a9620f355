// Maps any error to the one body format of refusals.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS, PresageError } from '@presage/protocol';
import type { Wire } from './answer.ts';

const RETRY_AFTER_SECONDS = 1;

/** Keeps our own errors; any other error becomes `internal`. */
export function toPresageError(error: unknown): PresageError {
  return error instanceof PresageError ? error : new PresageError('internal');
}

export function toRefusalBody(error: PresageError, requestId: string): Wire<'ErrorBody'> {
  return { error: error.message, code: error.code, ...(error.details && { details: error.details }), requestId };
}

/** The same as the endpoint at this path answers it: those of the relayer say that nothing was sent. */
export function toRefusalAt(
  path: string,
  error: PresageError,
  requestId: string,
): Wire<'ErrorBody'> | Wire<'RelayerErrorBody'> {
  const body = toRefusalBody(error, requestId);
  return path.startsWith('/api/v1/relayer/') ? { success: false, ...body } : body;
}

/** Undefined if the same request would be refused again. */
export function retryAfterOf({ code, details }: PresageError): number | undefined {
  if (!ERRORS[code].retryable) return undefined;
  const { retryAfterSeconds } = details ?? {};
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : RETRY_AFTER_SECONDS;
}

/** Refuses a request that the routes never see. */
export function refuseUnrouted({ url = '' }: IncomingMessage, response: ServerResponse, error: PresageError): void {
  const requestId = randomUUID();
  const retryAfter = retryAfterOf(error);
  response
    .writeHead(error.status, {
      'Content-Type': 'application/json; charset=utf-8',
      'X-Request-Id': requestId,
      ...(retryAfter !== undefined && { 'Retry-After': retryAfter }),
    })
    .end(JSON.stringify(toRefusalAt(url, error, requestId)));
}
