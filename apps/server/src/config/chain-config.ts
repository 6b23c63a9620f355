// The part of the configuration that names the chains: a JSON file of nodes, contracts and keys.
import { readFileSync } from 'node:fs';
import { isAddress } from '@presage/protocol';
import type { SettingsReader } from './settings-reader.ts';

interface ContractAddresses {
  readonly settlement: `0x${string}`;
  readonly conditionalTokens: `0x${string}`;
  readonly stablecoin: `0x${string}`;
  readonly marketFactory: `0x${string}`;
  readonly oracle: `0x${string}`;
  readonly multicall: `0x${string}`;
  /** Absent where there are no quick markets. */
  readonly priceOracle?: `0x${string}`;
  readonly quickMarketFactory?: `0x${string}`;
  /** Absent where the journal is not anchored. */
  readonly anchors?: `0x${string}`;
}

export interface ChainConfig {
  readonly chainId: number;
  readonly name: string;
  readonly rpcUrl: string;
  /** Where people look transactions up: `https://etherscan.io`. */
  readonly explorerUrl?: string;
  readonly confirmations: number;
  readonly collateralCheck: 'off' | 'enforce';
  readonly minOrderSize: number;
  /** Settlement batches that may wait for a block at the same time. */
  readonly batchesInFlight: number;
  /** The most gas that a transaction may have; without it what is known of the chain, or what a block holds. */
  readonly transactionGasCap?: number;
  /** The least tip that is offered, in gwei; what others pay is followed above it. */
  readonly minTipGwei: number;
  /** The most that a transaction may cost per gas, in gwei. */
  readonly maxFeeGwei: number;
  /** The longest grace that the settlement contract may have on a live chain: what is signed hangs over its trader for that long. */
  readonly settlementGraceSeconds: number;
  /** The most stablecoin that the operator puts up in bonds for proposers a day, in units of 10^-6; none in the live profile without it. */
  readonly sponsoredBondsPerDay?: number;
  readonly contracts: ContractAddresses;
  /** Block the contracts were deployed in: where the indexer begins. */
  readonly fromBlock: number;
  readonly settlerKey: `0x${string}`;
  /** Another than the settler's: two senders of one account would take each other's nonces. */
  readonly relayerKey: `0x${string}`;
  /** Of an account with the creator's role: with it operators make markets. A sandbox makes them in the owner's name. */
  readonly creatorKey?: `0x${string}`;
  /** Sandbox only: the owner of the contracts, in whose name markets and test money are made. */
  readonly ownerAddress?: `0x${string}`;
  /** Sandbox only: in whose name proposals are disputed. */
  readonly disputerAddress?: `0x${string}`;
}

/** Enough to hide the time between a block and the news of it. */
const DEFAULT_BATCHES_IN_FLIGHT = 8;
/** Pools keep at least 64 waiting transactions of one account, and quick markets send from the same one. */
const MAX_BATCHES_IN_FLIGHT = 48;
/** A batch of one fill takes less than half of it. */
const LEAST_GAS_CAP = 2_000_000;
const DEFAULT_GRACE_SECONDS = 300;
const DEFAULT_TIP_GWEI = 1;
const DEFAULT_FEE_GWEI = 10_000;

export function readChains(read: SettingsReader, check: 'off' | 'enforce' | undefined): ChainConfig[] {
  const path = read.optional('PRESAGE_CHAINS');
  if (path === undefined) {
    read.faults.push('PRESAGE_CHAINS: name a JSON file of chains; `npm start` writes one for the sandbox');
    return [];
  }
  let entries: unknown;
  try {
    entries = (JSON.parse(readFileSync(path, 'utf8')) as { chains?: unknown }).chains;
  } catch (error) {
    read.faults.push(`PRESAGE_CHAINS=${path}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  if (!Array.isArray(entries) || entries.length === 0) {
    read.faults.push(`PRESAGE_CHAINS=${path}: give a list "chains" of at least one chain`);
    return [];
  }
  const chains = entries.map((entry: unknown, index) => readChain(read, entry, `${path} chains[${index}]`, check));
  read.faults.push(...sharedFaults(chains).map((fault) => `${path} ${fault}`));
  return chains;
}

/** The ids of markets follow from the address of the factory: two chains with the same one could list the same id. */
function sharedFaults(chains: readonly ChainConfig[]): string[] {
  return chains.flatMap((chain, index) => {
    const others = chains.slice(0, index);
    const faults: string[] = [];
    if (others.some(({ chainId }) => chainId === chain.chainId)) {
      faults.push(`chains[${index}].chainId: ${chain.chainId} is listed already; name each chain once`);
    }
    for (const name of ['marketFactory', 'quickMarketFactory'] as const) {
      const address = chain.contracts[name]?.toLowerCase();
      const twin = address && others.find(({ contracts }) => contracts[name]?.toLowerCase() === address);
      if (!twin || twin.chainId === chain.chainId) continue;
      const remedy = 'ids of markets would be the same on both; deploy it with another salt';
      faults.push(`chains[${index}].contracts.${name}: has the address of that of chain ${twin.chainId}, so ${remedy}`);
    }
    return faults;
  });
}

function readChain(
  read: SettingsReader,
  entry: unknown,
  where: string,
  check: 'off' | 'enforce' | undefined,
): ChainConfig {
  const chain = (typeof entry === 'object' && entry !== null ? entry : {}) as Partial<ChainConfig>;
  const contracts = (chain.contracts ?? {}) as Partial<ContractAddresses>;
  for (const name of [
    'settlement',
    'conditionalTokens',
    'stablecoin',
    'marketFactory',
    'oracle',
    'multicall',
  ] as const) {
    if (!isAddress(contracts[name])) read.faults.push(`${where}.contracts.${name}: give an address`);
  }
  for (const name of ['priceOracle', 'quickMarketFactory'] as const) {
    const given = contracts[name];
    if (given !== undefined && !isAddress(given)) {
      read.faults.push(`${where}.contracts.${name}: give an address, or leave it out where there are no quick markets`);
    }
  }
  if (contracts.anchors !== undefined && !isAddress(contracts.anchors)) {
    read.faults.push(`${where}.contracts.anchors: give an address, or leave it out where the journal is not anchored`);
  }
  if (!Number.isSafeInteger(chain.chainId)) read.faults.push(`${where}.chainId: give an integer`);
  if (typeof chain.rpcUrl !== 'string') read.faults.push(`${where}.rpcUrl: give the URL of a node`);
  if (chain.explorerUrl !== undefined && !isWebAddress(chain.explorerUrl)) {
    read.faults.push(`${where}.explorerUrl: give an http(s) URL, or leave it out`);
  }
  const batches = chain.batchesInFlight ?? DEFAULT_BATCHES_IN_FLIGHT;
  if (!Number.isSafeInteger(batches) || batches < 1 || batches > MAX_BATCHES_IN_FLIGHT) {
    read.faults.push(`${where}.batchesInFlight: give an integer from 1 to ${MAX_BATCHES_IN_FLIGHT}`);
  }
  const bonds = chain.sponsoredBondsPerDay ?? 0;
  if (!Number.isSafeInteger(bonds) || bonds < 0) {
    read.faults.push(`${where}.sponsoredBondsPerDay: give an amount in units of 10^-6, or leave it out`);
  }
  read.faults.push(...gasFaults(chain).map((fault) => `${where}.${fault}`));
  read.faults.push(...keyFaults(chain).map((fault) => `${where}.${fault}`));
  return {
    chainId: chain.chainId ?? 0,
    name: chain.name ?? `chain ${chain.chainId}`,
    rpcUrl: chain.rpcUrl ?? '',
    ...(chain.explorerUrl !== undefined && { explorerUrl: chain.explorerUrl.replace(/\/+$/, '') }),
    confirmations: chain.confirmations ?? 1,
    collateralCheck: check ?? chain.collateralCheck ?? 'enforce',
    minOrderSize: chain.minOrderSize ?? 1_000_000,
    batchesInFlight: chain.batchesInFlight ?? DEFAULT_BATCHES_IN_FLIGHT,
    settlementGraceSeconds: chain.settlementGraceSeconds ?? DEFAULT_GRACE_SECONDS,
    minTipGwei: chain.minTipGwei ?? DEFAULT_TIP_GWEI,
    maxFeeGwei: chain.maxFeeGwei ?? DEFAULT_FEE_GWEI,
    ...(chain.sponsoredBondsPerDay !== undefined && { sponsoredBondsPerDay: chain.sponsoredBondsPerDay }),
    ...(chain.transactionGasCap !== undefined && { transactionGasCap: chain.transactionGasCap }),
    contracts: contracts as ContractAddresses,
    fromBlock: chain.fromBlock ?? 0,
    settlerKey: chain.settlerKey ?? '0x',
    relayerKey: chain.relayerKey ?? '0x',
    ...(chain.creatorKey !== undefined && { creatorKey: chain.creatorKey }),
    ...(chain.ownerAddress !== undefined && { ownerAddress: chain.ownerAddress }),
    ...(chain.disputerAddress !== undefined && { disputerAddress: chain.disputerAddress }),
  };
}

function gasFaults({
  transactionGasCap: cap,
  minTipGwei = DEFAULT_TIP_GWEI,
  maxFeeGwei,
}: Partial<ChainConfig>): string[] {
  const isAmount = (gwei: number) => Number.isFinite(gwei) && gwei >= 0;
  const most = maxFeeGwei ?? DEFAULT_FEE_GWEI;
  const faults: string[] = [];
  if (cap !== undefined && (!Number.isSafeInteger(cap) || cap < LEAST_GAS_CAP)) {
    faults.push(`transactionGasCap: give an integer of at least ${LEAST_GAS_CAP}, or leave it out`);
  }
  if (!isAmount(minTipGwei)) faults.push('minTipGwei: give a number of gwei');
  if (!isAmount(most) || most < minTipGwei) faults.push('maxFeeGwei: give a number of gwei, not less than minTipGwei');
  return faults;
}

function isWebAddress(text: unknown): text is string {
  return typeof text === 'string' && /^https?:/.test(text) && URL.canParse(text);
}

function keyFaults({ settlerKey, relayerKey, creatorKey }: Partial<ChainConfig>): string[] {
  const isKey = (key: string | undefined) => /^0x[0-9a-f]{64}$/i.test(key ?? '');
  const faults = Object.entries({ settlerKey, relayerKey }).filter(([, key]) => !isKey(key));
  if (faults.length > 0) return faults.map(([name]) => `${name}: give a private key`);
  if (creatorKey !== undefined && !isKey(creatorKey)) return ['creatorKey: give a private key, or leave it out'];
  const [settler, relayer, creator] = [settlerKey, relayerKey, creatorKey].map((key) => key?.toLowerCase());
  if (settler === relayer) return ['relayerKey: give another key than settlerKey'];
  return creator !== undefined && [settler, relayer].includes(creator)
    ? ['creatorKey: give another key than settlerKey and relayerKey']
    : [];
}
