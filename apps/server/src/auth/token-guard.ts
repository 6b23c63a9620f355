// Who is calling: the bearer token, checked in the order of docs/protocol.md ("Authentication"), its single use last.
import { type Address, isTokenFresh, PresageError, parseBearerToken, type TokenUsed } from '@presage/protocol';
import { verifyBearerToken } from '@presage/protocol/ed25519';
import type { KeyRegistry } from './key-registry.ts';
import type { UsedTokens } from './used-tokens.ts';

export interface Caller {
  readonly keyId: string;
  readonly owner: Address;
  /** Resolves when the use of the token is durable: nothing may be answered before. */
  readonly used: Promise<void>;
}

export interface TokenGuardOptions {
  readonly keys: KeyRegistry;
  readonly tokens: UsedTokens;
  /** Wall time: tokens do not travel with the sandbox's clock. */
  readonly wallMs: () => number;
  readonly journal: (record: TokenUsed) => Promise<void>;
}

const BEARER = /^Bearer +(\S+)$/;

export class TokenGuard {
  readonly #options: TokenGuardOptions;

  constructor(options: TokenGuardOptions) {
    this.#options = options;
  }

  /** Throws one of the nine 401s. */
  check(authorization: string | undefined): Caller {
    if (authorization === undefined || authorization === '') throw new PresageError('missing_authorization_header');
    const text = BEARER.exec(authorization)?.[1];
    if (text === undefined) throw new PresageError('invalid_authorization_format');
    const token = parseBearerToken(text);
    if (token === undefined) throw new PresageError('invalid_token_format');
    const nowSeconds = Math.floor(this.#options.wallMs() / 1_000);
    if (!isTokenFresh(token.ts, nowSeconds)) throw new PresageError('token_expired', { ts: token.ts, now: nowSeconds });
    const key = this.#options.keys.find(token.kid);
    if (key === undefined) throw new PresageError('api_key_not_found');
    if (key.isRevoked) throw new PresageError('api_key_inactive');
    if (key.expiresAt !== undefined && key.expiresAt <= nowSeconds) throw new PresageError('api_key_expired');
    if (!verifyBearerToken(token, key.publicKey)) throw new PresageError('invalid_token_signature');
    return { keyId: key.keyId, owner: key.owner, used: this.#use(token.kid, token.n, token.ts) };
  }

  /** Taken in memory at once, so that of two at the same time only one passes; last, so that a forger burns no nonce. */
  #use(keyId: string, nonce: string, issuedAt: number): Promise<void> {
    const { tokens, wallMs, journal } = this.#options;
    tokens.prune(Math.floor(wallMs() / 1_000));
    if (!tokens.take(keyId, nonce, issuedAt)) throw new PresageError('token_already_used');
    return journal({ type: 'token-used', timeMs: wallMs(), keyId, nonce, issuedAt });
  }
}
