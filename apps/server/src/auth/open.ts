// Opens authentication: the registered keys, the used tokens, and the guard that checks both.
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

interface OpenAuthOptions {
  readonly config: Pick<Config, 'serviceName' | 'roles'>;
  readonly signers: ApiKeyServiceOptions['signers'];
  /** Address of this node among others; undefined for a single node. */
  readonly node?: string | undefined;
  /** Journals a record; resolves once it is durable and applied. */
  readonly note: (record: ApiKeyRegistered | ApiKeyRevoked | TokenUsed) => Promise<void>;
}

/** Uses wall time: time travel in the sandbox must not expire keys. */
export function openAuth({ config, signers, node, note }: OpenAuthOptions) {
  const { serviceName } = config;
  const isDecidedElsewhere = !config.roles.includes('engine');
  const keys = new KeyRegistry();
  const tokens = new UsedTokens();
  const wallMs = Date.now;
  /** Checks tokens of a registry's keys; each token is valid once for all registries. */
  const checkerOf = <Key extends TokenKey>(registry: TokenCheckerOptions<Key>['keys']) =>
    new TokenChecker<Key>({ keys: registry, tokens, wallMs, journal: note, node, isDecidedElsewhere });
  return {
    keys: new ApiKeyService({ serviceName, keys, signers, wallMs, journal: note }),
    guard: checkerOf(keys),
    checkerOf,
    /** Applies a durable record of the control partition, at recovery and live. */
    follow: (record: JournalRecord) => {
      keys.follow(record);
      tokens.follow(record);
    },
    /** Checks a record of another node; throws if its token was already used. */
    accept: (record: JournalRecord) => tokens.accept(record),
  };
}
