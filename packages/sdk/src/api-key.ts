// Makes bearer tokens from an API key: one for each request, signed with the Web Crypto API's Ed25519.
import {
  encodeTokenPayload,
  fromHex,
  joinBearerToken,
  type SignedRequest,
  TOKEN_NONCE_HEX_DIGITS,
  toHex,
} from '@presage/protocol/browser';
import { type PresageApiError, PresageInputError } from './errors.ts';

/** The result of a registration, returned once. Keep it: a wallet may have ten keys. */
export interface ApiKey {
  readonly id: string;
  /** 64 hex characters. */
  readonly privateKey: string;
}

/** The PKCS #8 prefix of RFC 8410: Web Crypto does not import a bare 32-byte seed. */
const PKCS8_PREFIX = '0x302e020100300506032b657004220420';
const SEED = /^[0-9a-f]{64}$/i;

/** Derived from `importKey`, because only browsers have `CryptoKey` as a global type. */
type PlatformKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export class TokenMaker {
  readonly apiKey: ApiKey;
  readonly #key: Promise<PlatformKey>;
  /** How far the service's clock is ahead of this machine's, in milliseconds. */
  #offsetMs = 0;

  constructor(apiKey: ApiKey) {
    if (!SEED.test(apiKey.privateKey)) throw new PresageInputError('apiKey.privateKey', '64 hex characters');
    this.apiKey = apiKey;
    this.#key = importSeed(apiKey.privateKey);
  }

  /**
   * Makes a token that is valid once, for five minutes. `refused` is the refusal of an expired token: from then on
   * tokens follow the service's clock. With `request` the token is valid for that request only.
   */
  async make(refused?: PresageApiError, request?: SignedRequest): Promise<string> {
    if (refused !== undefined) this.#offsetMs = Number(refused.details?.now) * 1_000 - Date.now() || 0;
    const nowMs = Date.now() + this.#offsetMs;
    const random = crypto.getRandomValues(new Uint8Array(TOKEN_NONCE_HEX_DIGITS / 2));
    const n = toHex(random).slice(2);
    const { json, segment } = encodeTokenPayload({ kid: this.apiKey.id, ts: Math.floor(nowMs / 1_000), n, request });
    const signature = await crypto.subtle.sign('Ed25519', await this.#key, Uint8Array.from(json));
    return joinBearerToken(segment, new Uint8Array(signature));
  }
}

function importSeed(seed: string): Promise<PlatformKey> {
  const bytes = Uint8Array.from(fromHex(PKCS8_PREFIX + seed));
  return crypto.subtle.importKey('pkcs8', bytes, 'Ed25519', false, ['sign']);
}
