// Checks that an operator's token was signed for exactly this request of this exchange.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type BearerToken, PresageError, type SignedRequest } from '@presage/protocol';
import type { CheckedToken } from '../auth/token-checker.ts';
import type { OperatorKey } from './operator-state.ts';

export interface AskedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface CheckedOperator extends CheckedToken<OperatorKey> {
  /** Hash of the signed body. */
  readonly bodyHash: string;
}

/** Checks service, method and path; returns the hash of the signed body. Throws 401 `token_for_other_request`. */
export function requireSignedFor({ request }: BearerToken, asked: Omit<SignedRequest, 'bodyHash'>): string {
  if (request === undefined)
    throw new PresageError('token_for_other_request', { field: 'service', asked: asked.service });
  for (const field of ['service', 'method', 'path'] as const) {
    if (request[field] !== asked[field]) {
      throw new PresageError('token_for_other_request', { field, asked: asked[field] });
    }
  }
  return request.bodyHash;
}

/** Checks the body; throws 401 `token_for_other_request` if another one was signed. */
export function requireSignedBody({ bodyHash }: CheckedOperator, body: Uint8Array | undefined): void {
  const asked = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  if (bodyHash.toLowerCase() !== asked) throw new PresageError('token_for_other_request', { field: 'bodyHash', asked });
}
