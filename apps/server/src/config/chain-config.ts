// Configuration of the chains: a JSON file of nodes, contracts and the places of keys.
import { readFileSync } from 'node:fs';
import type { Deployment } from '@presage/chain';
import { type ReadChainSettings, readChainsFile, readServiceKeys } from '@presage/chain/setup';
import type { Hex } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { SettingsReader } from './settings-reader.ts';

/** Keys of the accounts that send transactions on a chain. */
export type ChainKeys = NonNullable<ReturnType<typeof readServiceKeys>['keys']>;

type KeyName = 'settlerKey' | 'relayerKey' | 'creatorKey';

export interface ChainConfig
  extends Omit<ReadChainSettings, 'contracts' | KeyName | 'ownerAddress' | 'disputerAddress' | 'treasury'> {
  readonly contracts: Deployment;
  /**
   * Undefined on a node that does not settle, which reads no keys. Operators create markets with the creator's key; a sandbox creates
   * them in the owner's name.
   */
  readonly keys?: ChainKeys;
  readonly ownerAddress?: Hex;
  readonly disputerAddress?: Hex;
  /** Account that receives the fees of takers. */
  readonly treasury?: Hex;
}

interface ReadOptions {
  /** Collateral check of a sandbox; undefined in the live profile, where the chains file names it. */
  readonly check: 'off' | 'enforce' | undefined;
  /** Whether the node sends transactions. */
  readonly needsKeys: boolean;
}

export function readChains(read: SettingsReader, options: ReadOptions): ChainConfig[] {
  const path = read.optional('PRESAGE_CHAINS');
  if (path === undefined) {
    read.faults.push(
      'PRESAGE_CHAINS: name the chains file that `presage deploy` wrote; a sandbox, started by `npm start`, makes its own',
    );
    return [];
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    read.faults.push(`PRESAGE_CHAINS=${path}: ${messageOf(error)}`);
    return [];
  }
  const { chains, faults } = readChainsFile(text);
  read.faults.push(...faults.map((fault) => `PRESAGE_CHAINS=${path}: ${fault}`));
  return chains.map((chain, index) => {
    const keys = options.needsKeys ? readKeys(chain, read, options, `PRESAGE_CHAINS=${path}: chains[${index}].`) : {};
    // The schema has checked every address.
    const { settlerKey: _, relayerKey: __, creatorKey: ___, ...settings } = chain as typeof chain & Addresses;
    return { ...settings, collateralCheck: options.check ?? settings.collateralCheck, ...keys };
  });
}

type Addresses = Pick<ChainConfig, 'contracts' | 'ownerAddress' | 'disputerAddress' | 'treasury'>;

function readKeys(
  chain: ReadChainSettings,
  read: SettingsReader,
  { check }: ReadOptions,
  where: string,
): Pick<ChainConfig, 'keys'> {
  const { keys, refused, faults } = readServiceKeys(chain, { env: read.environment, isLive: check === undefined });
  read.faults.push(...refused.map(({ name, error }) => `${where}${name}: ${error.message}`));
  read.faults.push(...faults.map(({ detail, remedy }) => `${where}${detail}. ${remedy}`));
  return keys === undefined ? {} : { keys };
}
