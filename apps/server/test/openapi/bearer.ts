// A bearer token as the document describes it: single-use, signed with the key that was registered; an operator's names its request.
import { randomBytes } from 'node:crypto';
import type { SignedRequest } from '@presage/protocol';
import { signBearerToken } from '@presage/protocol/ed25519';

interface Key {
  readonly id: string;
  readonly privateKey: string;
}

export function createBearer({ id, privateKey }: Key, request?: SignedRequest): string {
  const payload = { kid: id, ts: Math.floor(Date.now() / 1_000), n: randomBytes(16).toString('hex'), request };
  return `Bearer ${signBearerToken(payload, privateKey)}`;
}
