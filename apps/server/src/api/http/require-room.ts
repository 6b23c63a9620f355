// Refuses long answers while connections that were given up still hold their memory.
import { PresageError } from '@presage/protocol';
import type { HttpReply } from './reply.ts';
import type { HttpRequest } from './request.ts';

/** Throws 503 `overloaded`, which is not logged as a failure. */
export function requireRoom(request: HttpRequest, reply: Pick<HttpReply, 'hasRoom'>): void {
  if (reply.hasRoom) return;
  request.isShed = true;
  throw new PresageError('overloaded');
}
