// Who is calling: the wallet whose API key signed the bearer token.
import type { Address } from '@presage/protocol';
import type { ApiKey, KeyRegistry } from './key-registry.ts';
import { TokenChecker, type TokenCheckerOptions } from './token-checker.ts';

export interface Caller {
  readonly keyId: string;
  readonly owner: Address;
  /** Resolves when the use of the token is durable: nothing may be answered before. */
  readonly used: Promise<void>;
  /** If set, another node decides whether the token was used, and nothing may be done before `used` resolves. */
  readonly isDecidedElsewhere: boolean;
}

export interface TokenGuardOptions extends Omit<TokenCheckerOptions<ApiKey>, 'keys'> {
  readonly keys: KeyRegistry;
}

export class TokenGuard {
  readonly #tokens: TokenChecker<ApiKey>;

  constructor(options: TokenGuardOptions) {
    this.#tokens = new TokenChecker(options);
  }

  /** Throws one of the nine 401s. */
  check(authorization: string | undefined): Caller {
    const { key, ...use } = this.#tokens.check(authorization);
    return { keyId: key.keyId, owner: key.owner, ...use };
  }
}
