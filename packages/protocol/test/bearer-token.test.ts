// Tokens: what is well formed, what is fresh, and whose signature it is.
import { createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeTokenPayload, isTokenFresh, joinBearerToken, parseBearerToken } from '../src/index.ts';
import { createApiKeyPair, openPublicKey, signBearerToken, verifyBearerToken } from '../src/signing/ed25519.ts';

const payload = { kid: 'key_1', ts: 1_800_000_000, n: '0123456789abcdef0123456789abcdef' };
const pair = createApiKeyPair(new Uint8Array(32).fill(7));
const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url');

describe('bearer token', () => {
  it('round-trips and verifies with the key that signed it, and with no other', () => {
    const token = parseBearerToken(signBearerToken(payload, pair.privateKeyHex))!;
    expect(token).toMatchObject(payload);
    expect(verifyBearerToken(token, openPublicKey(pair.publicKeyHex))).toBe(true);
    expect(verifyBearerToken(token, openPublicKey(createApiKeyPair().publicKeyHex))).toBe(false);
  });

  it('has the RFC 8032 public key of its seed', () => {
    const seed = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
    expect(createApiKeyPair(seed).publicKeyHex).toBe(
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    );
  });

  it('takes a signature over the JSON bytes or over the text of the segment', () => {
    const { segment } = encodeTokenPayload(payload);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]);
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    const overText = joinBearerToken(segment, sign(null, Buffer.from(segment), key));
    expect(verifyBearerToken(parseBearerToken(overText)!, openPublicKey(pair.publicKeyHex))).toBe(true);
  });

  it('is malformed without two segments, base64url, JSON, kid, integer ts, a 32-hex nonce or 64 signature bytes', () => {
    const good = JSON.stringify(payload);
    const signature = base64url(new Uint8Array(64));
    const of = (json: string, sig = signature) => `${base64url(json)}.${sig}`;
    expect(parseBearerToken(of(good))).toBeDefined();
    for (const bad of [
      '',
      'a',
      'a.b.c',
      `${base64url(good)}.`,
      `.${signature}`,
      `${base64url(good)}=.${signature}`,
      of('{'),
      of('null'),
      of('[]'),
      of(JSON.stringify({ ...payload, kid: '' })),
      of(JSON.stringify({ ...payload, ts: '1800000000' })),
      of(JSON.stringify({ ...payload, ts: 1.5 })),
      of(JSON.stringify({ ...payload, n: 'short' })),
      of(JSON.stringify({ ...payload, n: 'g'.repeat(32) })),
      of(good, base64url(new Uint8Array(63))),
      of(good, 'A'),
    ]) {
      expect(parseBearerToken(bad), bad).toBeUndefined();
    }
  });

  it('is fresh from five minutes before to sixty seconds ahead', () => {
    const now = 1_800_000_000;
    expect([now - 301, now - 300, now, now + 60, now + 61].map((ts) => isTokenFresh(ts, now))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });
});
