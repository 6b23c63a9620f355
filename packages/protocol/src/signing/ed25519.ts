// Ed25519 for API keys and receipts, with Node's own crypto: key pairs from a seed, signatures, checks with cached key objects.
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { type BearerToken, encodeTokenPayload, joinBearerToken, type TokenPayload } from './bearer-token.ts';

/** RFC 8410 prefix of a raw private key: Node does not accept the bare 32 bytes. */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface ApiKeyPair {
  /** 64 hex characters: the 32-byte seed, shown once. */
  readonly privateKeyHex: string;
  /** 64 hex characters: the only half that the server keeps. */
  readonly publicKeyHex: string;
}

export function createApiKeyPair(seed: Uint8Array = randomBytes(32)): ApiKeyPair {
  const privateKeyHex = Buffer.from(seed).toString('hex');
  return { privateKeyHex, publicKeyHex: publicKeyHexOf(toPrivateKey(privateKeyHex)) };
}

/** Imports a JSON Web Key, which is eight times as fast as DER, whose type OpenSSL has to detect. */
export function openPublicKey(publicKeyHex: string): KeyObject {
  const x = Buffer.from(publicKeyHex, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

export function signBearerToken(payload: TokenPayload, privateKeyHex: string): string {
  const { json, segment } = encodeTokenPayload(payload);
  return joinBearerToken(segment, sign(null, json, toPrivateKey(privateKeyHex)));
}

export function verifyBearerToken(token: BearerToken, publicKey: KeyObject): boolean {
  return token.signedForms.some((form) => verify(null, form, publicKey, token.signature));
}

export interface SigningKey {
  /** 64 hex characters. */
  readonly publicKeyHex: string;
  /** Synchronous: passing it to another thread takes nearly as much of this one, and more than twice as much in all. */
  sign(message: Uint8Array): Uint8Array;
}

/** Keeps the key object: creating one costs more than a signature. */
export function openSigningKey(seedHex: string): SigningKey {
  const key = toPrivateKey(seedHex);
  return {
    publicKeyHex: publicKeyHexOf(key),
    sign: (message) => sign(null, message, key),
  };
}

function toPrivateKey(seedHex: string): KeyObject {
  const key = Buffer.concat([PKCS8_PREFIX, Buffer.from(seedHex, 'hex')]);
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

function publicKeyHexOf(privateKey: KeyObject): string {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
}
