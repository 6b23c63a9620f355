// Who may act: a bearer token of an operator's key, and the right that the endpoint asks for.
import { type OperatorRight, PresageError } from '@presage/protocol';
import type { TokenChecker } from '../auth/token-checker.ts';
import type { OperatorKey } from './operator-state.ts';

export interface OperatorCaller {
  readonly key: OperatorKey;
  /** Resolves when the use of the token is durable: nothing may be answered before. */
  readonly used: Promise<void>;
  /** If set, another node decides whether the token was used, and nothing may be done before `used` resolves. */
  readonly isDecidedElsewhere: boolean;
}

export class OperatorGuard {
  readonly #tokens: TokenChecker<OperatorKey>;

  constructor(tokens: TokenChecker<OperatorKey>) {
    this.#tokens = tokens;
  }

  /** Without a right any key is accepted. Throws one of the nine 401s, or 403 `right_missing`. */
  check(authorization: string | undefined, right: OperatorRight | undefined): OperatorCaller {
    const { key, ...use } = this.#tokens.check(authorization);
    if (right !== undefined && !key.rights.includes(right)) {
      throw new PresageError('right_missing', { right, rights: key.rights });
    }
    return { key, ...use };
  }
}
