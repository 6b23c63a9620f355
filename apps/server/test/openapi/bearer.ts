// A bearer token as the document describes it: single-use, signed with the key that was registered.
import { randomBytes } from 'node:crypto';
import { signBearerToken } from '@presage/protocol/ed25519';

export function createBearer({ id, privateKey }: { readonly id: string; readonly privateKey: string }): string {
  const payload = { kid: id, ts: Math.floor(Date.now() / 1_000), n: randomBytes(16).toString('hex') };
  return `Bearer ${signBearerToken(payload, privateKey)}`;
}
