// From a failure of any kind to the one body that every refusal has.
import { type ErrorCode, PresageError } from '@presage/protocol';
import type { Wire } from './answer.ts';

const BY_FASTIFY_CODE: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
};

/** Our refusals keep their code, refusals of Node and Fastify get one of ours, and everything else is an internal failure. */
export function toPresageError(error: unknown): PresageError {
  if (error instanceof PresageError) return error;
  if (!(error instanceof Error)) return new PresageError('internal');
  const code = 'code' in error ? BY_FASTIFY_CODE[String(error.code)] : undefined;
  if (code !== undefined) return new PresageError(code);
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) {
    return new PresageError('invalid_field', { field: 'request', expected: error.message });
  }
  return new PresageError('internal');
}

export function toRefusalBody(error: PresageError, requestId: string): Wire<'ErrorBody'> {
  return { error: error.message, code: error.code, ...(error.details && { details: error.details }), requestId };
}
