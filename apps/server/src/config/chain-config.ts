// The part of the configuration that names the chains: a JSON file of nodes, contracts and where the keys are.
import { readFileSync } from 'node:fs';
import type { Deployment } from '@presage/chain';
import { type ReadChainSettings, readChainsFile, readServiceKeys, type SigningKey } from '@presage/chain/setup';
import type { Hex } from '@presage/protocol';
import type { SettingsReader } from './settings-reader.ts';

type KeyName = 'settlerKey' | 'relayerKey' | 'creatorKey';

export interface ChainConfig
  extends Omit<ReadChainSettings, 'contracts' | KeyName | 'ownerAddress' | 'disputerAddress'> {
  readonly contracts: Deployment;
  readonly settlerKey: SigningKey;
  /** Must differ from the settler's key: two senders of one account would use each other's nonces. */
  readonly relayerKey: SigningKey;
  /** Key of an account with the creator's role, for markets of operators. A sandbox creates them as the contracts' owner. */
  readonly creatorKey?: SigningKey;
  readonly ownerAddress?: Hex;
  readonly disputerAddress?: Hex;
}

/** Placeholder for an unreadable key: the start fails anyway, with all faults of the configuration. */
const NO_KEY: SigningKey = { kind: 'signer', url: '', address: '0x' };

/** `check` is the collateral check of a sandbox; undefined for a live service, whose file sets it and contains no keys. */
export function readChains(read: SettingsReader, check: 'off' | 'enforce' | undefined): ChainConfig[] {
  const path = read.optional('PRESAGE_CHAINS');
  if (path === undefined) {
    read.faults.push('PRESAGE_CHAINS: name a JSON file of chains; `npm start` writes one for the sandbox');
    return [];
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    read.faults.push(`PRESAGE_CHAINS=${path}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  const { chains, faults } = readChainsFile(text);
  read.faults.push(...faults.map((fault) => `PRESAGE_CHAINS=${path}: ${fault}`));
  return chains.map((chain, index) =>
    toConfig(chain, { read, check, where: `PRESAGE_CHAINS=${path}: chains[${index}].` }),
  );
}

interface ReadOptions {
  readonly read: SettingsReader;
  readonly check: 'off' | 'enforce' | undefined;
  readonly where: string;
}

type Addresses = Pick<ChainConfig, 'contracts' | 'ownerAddress' | 'disputerAddress'>;

function toConfig(chain: ReadChainSettings, { read, check, where }: ReadOptions): ChainConfig {
  const { keys, refused, faults } = readServiceKeys(chain, { env: read.environment, isLive: check === undefined });
  read.faults.push(...refused.map(({ name, error }) => `${where}${name}: ${error.message}`));
  read.faults.push(...faults.map(({ detail, remedy }) => `${where}${detail}. ${remedy}`));
  // Narrows texts to addresses: the schema of the file has checked every one.
  const { settlerKey: _, relayerKey: __, creatorKey: ___, ...settings } = chain as typeof chain & Addresses;
  return {
    ...settings,
    collateralCheck: check ?? settings.collateralCheck,
    settlerKey: keys?.settler ?? NO_KEY,
    relayerKey: keys?.relayer ?? NO_KEY,
    ...(keys?.creator && { creatorKey: keys.creator }),
  };
}
