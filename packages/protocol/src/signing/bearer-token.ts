// Bearer tokens: `base64url(payload).base64url(signature)`, signed with Ed25519, valid once and for five minutes.
import { LIMITS, TOKEN_NONCE_HEX_DIGITS } from '../core/limits.ts';

export interface TokenPayload {
  /** API key id. */
  readonly kid: string;
  /** Unix seconds of issue, wall time. */
  readonly ts: number;
  /** 32 random hex characters. */
  readonly n: string;
  /** The one request that an operator's token is valid for; tokens of traders have none. */
  readonly request?: SignedRequest | undefined;
}

export interface SignedRequest {
  /** Name of the exchange. */
  readonly service: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** SHA-256 of the body's bytes, 64 hex characters; the hash of no bytes if there is no body. */
  readonly bodyHash: string;
}

export interface BearerToken extends TokenPayload {
  readonly signature: Uint8Array;
  /** Both forms that clients sign: the JSON bytes, or the text of the first segment. */
  readonly signedForms: readonly [json: Uint8Array, segment: Uint8Array];
}

const SEGMENT = /^[A-Za-z0-9_-]+$/;
const NONCE = new RegExp(`^[0-9a-f]{${TOKEN_NONCE_HEX_DIGITS}}$`, 'i');
const SIGNATURE_BYTES = 64;

/** Returns undefined if malformed; the caller answers `invalid token format`. */
export function parseBearerToken(text: string): BearerToken | undefined {
  const [first = '', second = '', third] = text.split('.');
  if (third !== undefined) return undefined;
  const json = decodeSegment(first);
  const signature = decodeSegment(second);
  if (json === undefined || signature?.length !== SIGNATURE_BYTES) return undefined;
  const payload = parsePayload(json);
  if (payload === undefined) return undefined;
  return { ...payload, signature, signedForms: [json, new TextEncoder().encode(first)] };
}

export function encodeTokenPayload(payload: TokenPayload): { readonly json: Uint8Array; readonly segment: string } {
  const { kid, ts, n, request } = payload;
  const json = new TextEncoder().encode(JSON.stringify({ kid, ts, n, ...request }));
  return { json, segment: encodeSegment(json) };
}

export function joinBearerToken(segment: string, signature: Uint8Array): string {
  return `${segment}.${encodeSegment(signature)}`;
}

/** Whether `ts` is within the life of a token at `nowSeconds`, in the past or in the future. */
export function isTokenFresh(ts: number, nowSeconds: number): boolean {
  return ts >= nowSeconds - LIMITS.tokenLifeSeconds && ts <= nowSeconds + LIMITS.tokenAheadSeconds;
}

export function apiKeyMessage(serviceName: string, address: string): string {
  return `${apiKeyMessagePrefix(serviceName)}${address}`;
}

export function apiKeyMessagePrefix(serviceName: string): string {
  return `Register API key for ${serviceName}: `;
}

function parsePayload(json: Uint8Array): TokenPayload | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { kid, ts, n }: { kid?: unknown; ts?: unknown; n?: unknown } = value;
  if (typeof kid !== 'string' || kid === '' || typeof ts !== 'number' || !Number.isSafeInteger(ts)) return undefined;
  if (typeof n !== 'string' || !NONCE.test(n)) return undefined;
  return { kid, ts, n: n.toLowerCase(), request: parseRequest(value) };
}

function parseRequest(value: { [Name in keyof SignedRequest]?: unknown }): SignedRequest | undefined {
  const { service, method, path, bodyHash } = value;
  const isWhole =
    typeof service === 'string' &&
    typeof method === 'string' &&
    typeof path === 'string' &&
    typeof bodyHash === 'string';
  return isWhole ? { service, method, path, bodyHash } : undefined;
}

function decodeSegment(segment: string): Uint8Array | undefined {
  // A length of 4k+1 cannot be base64; atob would throw.
  if (!SEGMENT.test(segment) || segment.length % 4 === 1) return undefined;
  const binary = atob(segment.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

function encodeSegment(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
