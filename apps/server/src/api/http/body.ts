// The body of a request: JSON that loses no digit, or a refusal that says why it is none.
import { LIMITS, PresageError, parseJson } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { HttpRequest } from './request.ts';

const JSON_TYPE = /^application\/(.+\+)?json\b/i;

/** By the headers, before anything of it is read. */
export function refuseUnreadable({ headers }: HttpRequest): void {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  const isEmpty = coding === undefined && Number(length) === 0;
  if (type === undefined ? !isEmpty : !JSON_TYPE.test(type)) throw new PresageError('unsupported_media_type');
  const packing = headers['content-encoding'];
  if (packing !== undefined && packing !== 'identity') {
    throw new PresageError('unsupported_media_type', { contentEncoding: packing.slice(0, 100) });
  }
}

/** Call it once the whole body has arrived. */
export function readBody({ raw, receivedBody }: HttpRequest): unknown {
  const bytes: Buffer | null = receivedBody ?? raw.read();
  // No body at all is not malformed: some endpoints take everything from the query.
  if (bytes === null || bytes.length === 0) return undefined;
  if (bytes.length > LIMITS.bodyBytes) throw new PresageError('body_too_large');
  try {
    return parseJson(bytes.toString());
  } catch (error) {
    throw new PresageError('invalid_json', { reason: messageOf(error) });
  }
}
