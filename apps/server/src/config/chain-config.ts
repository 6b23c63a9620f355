// The part of the configuration that names the chains: a JSON file of nodes, contracts and where the keys are.
import { readFileSync } from 'node:fs';
import type { Deployment } from '@presage/chain';
import {
  findSharedKeys,
  findUnnamedRoles,
  KeyRefused,
  type ReadChainSettings,
  readChainsFile,
  readKey,
  type SigningKey,
} from '@presage/chain/setup';
import type { Hex } from '@presage/protocol';
import type { Environment, SettingsReader } from './settings-reader.ts';

export interface ChainConfig
  extends Omit<ReadChainSettings, 'contracts' | 'settlerKey' | 'relayerKey' | 'ownerAddress' | 'disputerAddress'> {
  readonly contracts: Deployment;
  readonly settlerKey: SigningKey;
  /** Another than the settler's: two senders of one account would take each other's nonces. */
  readonly relayerKey: SigningKey;
  readonly ownerAddress?: Hex;
  readonly disputerAddress?: Hex;
}

interface ChainsReaderOptions {
  readonly environment: Environment;
  readonly isLive: boolean;
  /** Decides for all chains where it is given. */
  readonly collateralCheck: 'off' | 'enforce' | undefined;
}

/** What stands where no key could be read: the start fails anyway, with every other fault of the configuration. */
const NO_KEY: SigningKey = { kind: 'signer', url: '', address: '0x' };

export function readChains(read: SettingsReader, options: ChainsReaderOptions): ChainConfig[] {
  const path = read.optional('PRESAGE_CHAINS');
  if (path === undefined) {
    read.faults.push('PRESAGE_CHAINS: name a JSON file of chains; `npm start` writes one for the sandbox');
    return [];
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    read.faults.push(`PRESAGE_CHAINS=${path}: ${(error as Error).message}`);
    return [];
  }
  const { chains, faults } = readChainsFile(text);
  read.faults.push(...faults.map((fault) => `PRESAGE_CHAINS=${path}: ${fault}`));
  return chains.map((chain, index) => {
    const report = (fault: string) => read.faults.push(`PRESAGE_CHAINS=${path}: chains[${index}].${fault}`);
    return toConfig(chain, options, report);
  });
}

function toConfig(
  chain: ReadChainSettings,
  { environment, isLive, collateralCheck }: ChainsReaderOptions,
  report: (fault: string) => void,
): ChainConfig {
  const toKey = (name: 'settlerKey' | 'relayerKey'): SigningKey => {
    try {
      return readKey(chain[name], { env: environment, isPlainAllowed: !isLive });
    } catch (error) {
      if (!(error instanceof KeyRefused)) throw error;
      report(`${name}: ${error.message}`);
      return NO_KEY;
    }
  };
  const [settlerKey, relayerKey] = [toKey('settlerKey'), toKey('relayerKey')];
  if (settlerKey !== NO_KEY && relayerKey !== NO_KEY) {
    const keys = { settler: settlerKey, relayer: relayerKey };
    // The sandbox's owner may be anybody; two senders of one account never work.
    const shared = findSharedKeys(isLive ? chain : {}, keys);
    const unnamed = isLive ? findUnnamedRoles(chain) : [];
    for (const { detail, remedy } of [...shared, ...unnamed]) report(`${detail}. ${remedy}`);
  }
  return {
    // The schema has checked every address.
    ...(chain as Omit<ChainConfig, 'settlerKey' | 'relayerKey'>),
    collateralCheck: collateralCheck ?? chain.collateralCheck,
    settlerKey,
    relayerKey,
  };
}
