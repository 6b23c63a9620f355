// Reads the body of a request: JSON without loss of digits, or an error that says why it is not JSON.
import { PresageError, parseJson } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { HttpRequest } from './request.ts';

const JSON_TYPE = /^application\/(.+\+)?json\b/i;

/** Refuses a body by its headers, before any of it is read. */
export function refuseUnreadable({ headers }: HttpRequest): void {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  const isEmpty = coding === undefined && Number(length) === 0;
  if (type === undefined ? !isEmpty : !JSON_TYPE.test(type)) throw notJson(type);
  const packing = headers['content-encoding'];
  if (packing !== undefined && packing !== 'identity') {
    throw new PresageError('unsupported_media_type', { contentEncoding: packing.slice(0, 100) });
  }
}

/** Refuses a body by its media type and names the type: many tools announce a form unless told otherwise. */
function notJson(type: string | undefined): PresageError {
  const got = type === undefined ? {} : { contentType: type.slice(0, 100) };
  return new PresageError('unsupported_media_type', { expected: 'application/json', ...got });
}

/** Parses the body; call it once the whole body has arrived. */
export function readBody({ receivedBody }: HttpRequest): unknown {
  // A missing body is valid: some endpoints take everything from the query.
  if (receivedBody === undefined || receivedBody.length === 0) return undefined;
  try {
    return parseJson(receivedBody.toString());
  } catch (error) {
    throw new PresageError('invalid_json', { reason: messageOf(error) });
  }
}
