// Reads the keys of a service on one chain from the sources in the chains file, and compares them with each other and
// with the roles.
import type { ReadChainSettings } from './chains-file.ts';
import type { ChainFault } from './checks/chain-fault.ts';
import { findSharedKeys, findUnnamedRoles } from './checks/role-checks.ts';
import { KeyRefused, readKey, type SigningKey } from './key-source.ts';

type KeyName = 'settlerKey' | 'relayerKey' | 'creatorKey';

interface ServiceKeysOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** If false (sandbox), keys may be in the file itself, and any account may be the owner. */
  readonly isLive: boolean;
}

interface ServiceKeysRead {
  /** Undefined if one of the keys was refused. */
  readonly keys?: { readonly settler: SigningKey; readonly relayer: SigningKey; readonly creator?: SigningKey };
  readonly refused: readonly { readonly name: KeyName; readonly error: KeyRefused }[];
  readonly faults: readonly ChainFault[];
}

export function readServiceKeys(chain: ReadChainSettings, { env, isLive }: ServiceKeysOptions): ServiceKeysRead {
  const refused: { name: KeyName; error: KeyRefused }[] = [];
  const read = (name: KeyName): SigningKey | undefined => {
    const source = chain[name];
    if (source === undefined) return undefined;
    try {
      return readKey(source, { env, isPlainAllowed: !isLive });
    } catch (error) {
      if (!(error instanceof KeyRefused)) throw error;
      refused.push({ name, error });
      return undefined;
    }
  };
  const [settler, relayer, creator] = [read('settlerKey'), read('relayerKey'), read('creatorKey')];
  if (settler === undefined || relayer === undefined || refused.length > 0) return { refused, faults: [] };
  const keys = { settler, relayer, ...(creator && { creator }) };
  // Two senders of one account never work, not even in a sandbox.
  const faults = [...findSharedKeys(isLive ? chain : {}, keys), ...(isLive ? findUnnamedRoles(chain) : [])];
  return { keys, refused, faults };
}
