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
import type { SettingsReader } from './settings-reader.ts';

type KeyName = 'settlerKey' | 'relayerKey' | 'creatorKey';

export interface ChainConfig
  extends Omit<ReadChainSettings, 'contracts' | KeyName | 'ownerAddress' | 'disputerAddress'> {
  readonly contracts: Deployment;
  readonly settlerKey: SigningKey;
  /** Another than the settler's: two senders of one account would take each other's nonces. */
  readonly relayerKey: SigningKey;
  /** Of an account with the creator's role: with it operators make markets. A sandbox makes them in the owner's name. */
  readonly creatorKey?: SigningKey;
  readonly ownerAddress?: Hex;
  readonly disputerAddress?: Hex;
}

/** What stands where no key could be read: the start fails anyway, with every other fault of the configuration. */
const NO_KEY: SigningKey = { kind: 'signer', url: '', address: '0x' };

/** A sandbox says how the collateral is checked; without that it is a live service, whose file says it and names no key itself. */
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
    read.faults.push(`PRESAGE_CHAINS=${path}: ${(error as Error).message}`);
    return [];
  }
  const { chains, faults } = readChainsFile(text);
  read.faults.push(...faults.map((fault) => `PRESAGE_CHAINS=${path}: ${fault}`));
  return chains.map((chain, index) => {
    const keys = new KeyFaults(read, `PRESAGE_CHAINS=${path}: chains[${index}].`);
    // The schema has checked every address.
    const { contracts, settlerKey, relayerKey, creatorKey, ...settings } = chain as typeof chain & Addresses;
    const isLive = check === undefined;
    const config = {
      ...settings,
      contracts,
      collateralCheck: check ?? settings.collateralCheck,
      settlerKey: keys.read('settlerKey', settlerKey, isLive),
      relayerKey: keys.read('relayerKey', relayerKey, isLive),
      ...(creatorKey !== undefined && { creatorKey: keys.read('creatorKey', creatorKey, isLive) }),
    };
    keys.compare(config, isLive);
    return config;
  });
}

type Addresses = Pick<ChainConfig, 'contracts' | 'ownerAddress' | 'disputerAddress'>;

/** Reads the keys of one chain, and says what is wrong with them. */
class KeyFaults {
  readonly #settings: SettingsReader;
  readonly #where: string;

  constructor(settings: SettingsReader, where: string) {
    this.#settings = settings;
    this.#where = where;
  }

  read(name: KeyName, source: string, isLive: boolean): SigningKey {
    try {
      return readKey(source, { env: this.#settings.environment, isPlainAllowed: !isLive });
    } catch (error) {
      if (!(error instanceof KeyRefused)) throw error;
      this.#settings.faults.push(`${this.#where}${name}: ${error.message}`);
      return NO_KEY;
    }
  }

  /** The sandbox's owner may be anybody; two senders of one account never work. */
  compare({ settlerKey, relayerKey, creatorKey, ...roles }: ChainConfig, isLive: boolean): void {
    if ([settlerKey, relayerKey, creatorKey].includes(NO_KEY)) return;
    const keys = { settler: settlerKey, relayer: relayerKey, ...(creatorKey && { creator: creatorKey }) };
    const shared = findSharedKeys(isLive ? roles : {}, keys);
    const unnamed = isLive ? findUnnamedRoles(roles) : [];
    for (const { detail, remedy } of [...shared, ...unnamed]) {
      this.#settings.faults.push(`${this.#where}${detail}. ${remedy}`);
    }
  }
}
