// Opens authentication: the keys there are, the tokens that were used, and the guard that checks both.
import {
  type ApiKeyRegistered,
  type ApiKeyRevoked,
  type JournalRecord,
  type TokenUsed,
  UsedTokens,
} from '@presage/protocol';
import type { Config } from '../config.ts';
import { ApiKeyService, type ApiKeyServiceOptions } from './api-key-service.ts';
import { KeyRegistry } from './key-registry.ts';
import { TokenChecker, type TokenCheckerOptions, type TokenKey } from './token-checker.ts';
import { TokenGuard } from './token-guard.ts';

export interface OpenAuthOptions {
  readonly config: Pick<Config, 'serviceName' | 'roles'>;
  readonly signers: ApiKeyServiceOptions['signers'];
  /** Resolves once the record is durable and applied. */
  readonly note: (record: ApiKeyRegistered | ApiKeyRevoked | TokenUsed) => Promise<void>;
}

export interface Auth {
  readonly keys: ApiKeyService;
  readonly guard: TokenGuard;
  /** Checks tokens of another registry's keys; each token is valid once here too. */
  checkerOf<Key extends TokenKey>(keys: TokenCheckerOptions<Key>['keys']): TokenChecker<Key>;
  /** Called with every durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void;
  /** Throws if another node asks for a token that was used. */
  accept(record: JournalRecord): void;
}

/** Uses wall time: time travel in the sandbox must not expire keys. */
export function openAuth({ config, signers, note }: OpenAuthOptions): Auth {
  const { serviceName } = config;
  const isDecidedElsewhere = !config.roles.includes('engine');
  const keys = new KeyRegistry();
  const tokens = new UsedTokens();
  return {
    keys: new ApiKeyService({ serviceName, keys, signers, wallMs: Date.now, journal: note }),
    guard: new TokenGuard({ keys, tokens, wallMs: Date.now, journal: note, isDecidedElsewhere }),
    checkerOf: (other) =>
      new TokenChecker({ keys: other, tokens, wallMs: Date.now, journal: note, isDecidedElsewhere }),
    follow: (record) => {
      keys.follow(record);
      tokens.follow(record);
    },
    accept: (record) => tokens.accept(record),
  };
}
