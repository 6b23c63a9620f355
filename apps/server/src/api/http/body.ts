// The body of a request: JSON that loses no digit, or a refusal that says why it is none.
import { PresageError, parseJson } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { HttpRequest } from './request.ts';

const JSON_TYPE = /^application\/(.+\+)?json\b/i;

/** Refuses a body by its headers, before anything of it is read. */
export function refuseUnreadable({ headers }: HttpRequest): void {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  const isEmpty = coding === undefined && Number(length) === 0;
  if (type === undefined ? !isEmpty : !JSON_TYPE.test(type)) throw notJson(type);
  const packing = headers['content-encoding'];
  if (packing !== undefined && packing !== 'identity') {
    throw new PresageError('unsupported_media_type', { contentEncoding: packing.slice(0, 100) });
  }
}

/** Many tools say that they send a form unless they are told otherwise. */
function notJson(type: string | undefined): PresageError {
  const got = type === undefined ? {} : { contentType: type.slice(0, 100) };
  return new PresageError('unsupported_media_type', { expected: 'application/json', ...got });
}

/** Call it once the whole body has arrived. */
export function readBody({ receivedBody }: HttpRequest): unknown {
  // No body at all is not malformed: some endpoints take everything from the query.
  if (receivedBody === undefined || receivedBody.length === 0) return undefined;
  try {
    return parseJson(receivedBody.toString());
  } catch (error) {
    throw new PresageError('invalid_json', { reason: messageOf(error) });
  }
}
