// Checks a bearer token against a registry's keys, in the order of docs/protocol.md ("Authentication"), its single use last.
import type { KeyObject } from 'node:crypto';
import {
  type BearerToken,
  isTokenFresh,
  PresageError,
  parseBearerToken,
  type TokenUsed,
  type UsedTokens,
} from '@presage/protocol';
import { verifyBearerToken } from '@presage/protocol/ed25519';

/** A key that verifies tokens. */
export interface TokenKey {
  readonly keyId: string;
  readonly publicKey: KeyObject;
  readonly isRevoked: boolean;
  /** Unix seconds of wall time. */
  readonly expiresAt: number | undefined;
}

export interface TokenCheckerOptions<Key extends TokenKey> {
  readonly keys: { find(keyId: string): Key | undefined };
  readonly tokens: UsedTokens;
  /** Uses wall time: time travel in the sandbox must not expire tokens. */
  readonly wallMs: () => number;
  readonly journal: (record: TokenUsed) => Promise<void>;
  /** Address of this node among others; undefined for a single node. */
  readonly node?: string | undefined;
  /** Whether another node decides if a token was used; nothing may be done before it has answered. */
  readonly isDecidedElsewhere?: boolean;
}

export interface CheckedToken<Key> {
  readonly key: Key;
  /** Resolves when the use is durable; nothing may be answered before. */
  readonly used: Promise<void>;
  /** Whether another node decides if the token was used: then nothing may be done before `used` resolves, either. */
  readonly isDecidedElsewhere: boolean;
  /** Returns the current key; throws if it was revoked or expired while the rest of the request arrived. */
  readonly requireKey: () => Key;
}

const BEARER = /^Bearer +(\S+)$/;

export class TokenChecker<Key extends TokenKey> {
  readonly #options: TokenCheckerOptions<Key>;

  constructor(options: TokenCheckerOptions<Key>) {
    this.#options = options;
  }

  /**
   * Checks a token. Throws one of the nine 401s, or the error of `accept`, which sees only tokens signed by their key.
   * `used` resolves when the use is durable; nothing may be answered before.
   */
  check(authorization: string | undefined, accept?: (token: BearerToken) => void): CheckedToken<Key> {
    if (authorization === undefined || authorization === '') throw new PresageError('missing_authorization_header');
    const text = BEARER.exec(authorization)?.[1];
    if (text === undefined) throw new PresageError('invalid_authorization_format');
    const token = parseBearerToken(text);
    if (token === undefined) throw new PresageError('invalid_token_format');
    const nowSeconds = this.#nowSeconds();
    if (!isTokenFresh(token.ts, nowSeconds)) throw new PresageError('token_expired', { ts: token.ts, now: nowSeconds });
    const key = this.#activeKey(token.kid);
    if (!verifyBearerToken(token, key.publicKey)) throw new PresageError('invalid_token_signature');
    accept?.(token);
    const used = this.#use(token.kid, token.n, token.ts);
    const isDecidedElsewhere = this.#options.isDecidedElsewhere === true;
    return { key, used, isDecidedElsewhere, requireKey: () => this.#activeKey(token.kid) };
  }

  #activeKey(keyId: string): Key {
    const key = this.#options.keys.find(keyId);
    if (key === undefined) throw new PresageError('api_key_not_found');
    if (key.isRevoked) throw new PresageError('api_key_inactive');
    if (key.expiresAt !== undefined && key.expiresAt <= this.#nowSeconds()) throw new PresageError('api_key_expired');
    return key;
  }

  #nowSeconds(): number {
    return Math.floor(this.#options.wallMs() / 1_000);
  }

  /** Marks a token as used: in memory at once, so that only one of two simultaneous uses passes; last, so that a forger burns no nonce. */
  #use(keyId: string, nonce: string, issuedAt: number): Promise<void> {
    const { tokens, wallMs, journal, node } = this.#options;
    tokens.prune(this.#nowSeconds());
    if (!tokens.take(keyId, nonce, issuedAt)) throw new PresageError('token_already_used');
    return journal({
      type: 'token-used',
      timeMs: wallMs(),
      keyId,
      nonce,
      issuedAt,
      ...(node !== undefined && { node }),
    });
  }
}
