// The only place that reads the environment: every fault at once, then frozen.
import { readFileSync } from 'node:fs';
import { isAddress } from '@presage/protocol';
import { type PriceConfig, readPriceConfig } from './config/price-config.ts';
import { PUBLISHED_KEYS } from './config/published-keys.ts';

export interface ContractAddresses {
  readonly settlement: `0x${string}`;
  readonly conditionalTokens: `0x${string}`;
  readonly stablecoin: `0x${string}`;
  readonly marketFactory: `0x${string}`;
  readonly oracle: `0x${string}`;
  readonly multicall: `0x${string}`;
  /** Absent where there are no quick markets. */
  readonly priceOracle?: `0x${string}`;
  readonly quickMarketFactory?: `0x${string}`;
}

export interface ChainConfig {
  readonly chainId: number;
  readonly name: string;
  readonly rpcUrl: string;
  readonly confirmations: number;
  readonly collateralCheck: 'off' | 'enforce';
  readonly minOrderSize: number;
  readonly contracts: ContractAddresses;
  /** Block the contracts were deployed in: where the indexer begins. */
  readonly fromBlock: number;
  readonly settlerKey: `0x${string}`;
  /** Another than the settler's: two senders of one account would take each other's nonces. */
  readonly relayerKey: `0x${string}`;
  /** Sandbox only: the owner of the contracts, in whose name markets and test money are made. */
  readonly ownerAddress?: `0x${string}`;
  /** Sandbox only: in whose name proposals are disputed. */
  readonly disputerAddress?: `0x${string}`;
}

export interface Config {
  readonly profile: 'sandbox' | 'live';
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly auth: 'off' | 'required';
  readonly autofund: boolean;
  /** Whether the demo maker runs where nobody has said otherwise. */
  readonly demo: boolean;
  /** Whether the service settles undisputed markets by itself. */
  readonly keeper: boolean;
  readonly rateLimits: boolean;
  /** Pages that may write from a browser; GET is open to all. */
  readonly corsOrigins: readonly string[] | '*';
  readonly serviceName: string;
  readonly databaseUrl: string | undefined;
  readonly logLevel: string;
  readonly chains: readonly ChainConfig[];
  readonly prices: PriceConfig;
}

export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_SERVICE_NAME = 'Presage';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Gathers faults so that one start reports them all. */
class Reader {
  readonly faults: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  text(name: string, fallback: string): string {
    return this.#environment[name] || fallback;
  }

  optional(name: string): string | undefined {
    return this.#environment[name] || undefined;
  }

  choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const value = this.#environment[name];
    if (!value) return fallback;
    if (choices.includes(value as T)) return value as T;
    this.faults.push(`${name}=${value}: use one of ${choices.join(', ')}`);
    return fallback;
  }

  port(names: readonly string[], fallback: number): number {
    const name = names.find((candidate) => this.#environment[candidate]);
    if (name === undefined) return fallback;
    const value = Number(this.#environment[name]);
    if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
    this.faults.push(`${name}=${this.#environment[name]}: use a port from 0 to 65535`);
    return fallback;
  }
}

export function readConfig(environment: Environment): Config {
  const read = new Reader(environment);
  const profile = read.choice('PRESAGE_PROFILE', ['sandbox', 'live'], 'sandbox');
  const autofund = read.choice('PRESAGE_SANDBOX_AUTOFUND', ['on', 'off'], 'on') === 'on';
  const check = read.choice('PRESAGE_COLLATERAL_CHECK', ['off', 'enforce'], autofund ? 'off' : 'enforce');
  const config: Config = {
    profile,
    host: read.text('PRESAGE_HOST', '127.0.0.1'),
    port: read.port(['PRESAGE_PORT', 'PORT'], 8080),
    dataDir: read.text('PRESAGE_DATA_DIR', './data'),
    auth: read.choice('PRESAGE_AUTH', ['off', 'required'], profile === 'sandbox' ? 'off' : 'required'),
    autofund: profile === 'sandbox' && autofund,
    keeper: read.choice('PRESAGE_KEEPER', ['on', 'off'], 'on') === 'on',
    demo: profile === 'sandbox' && read.choice('PRESAGE_DEMO', ['on', 'off'], 'off') === 'on',
    rateLimits: read.choice('PRESAGE_RATE_LIMITS', ['on', 'off'], profile === 'sandbox' ? 'off' : 'on') === 'on',
    corsOrigins: readOrigins(read, profile === 'sandbox' ? '*' : ''),
    serviceName: read.text('PRESAGE_SERVICE_NAME', DEFAULT_SERVICE_NAME),
    databaseUrl: read.optional('PRESAGE_DATABASE_URL'),
    logLevel: read.choice('PRESAGE_LOG_LEVEL', LOG_LEVELS, 'info'),
    chains: readChains(read, profile === 'sandbox' ? check : undefined),
    prices: readPriceConfig(read, profile),
  };
  read.faults.push(...liveFaults(config), ...databaseFaults(config), ...unservedFaults(read));
  if (read.faults.length > 0) throw new ConfigInvalid(read.faults);
  return deepFreeze(config);
}

function readOrigins(read: Reader, fallback: string): readonly string[] | '*' {
  const text = read.text('PRESAGE_CORS_ORIGINS', fallback);
  if (text === '*') return '*';
  const origins = text.split(',').filter((origin) => origin !== '');
  const bad = origins.filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  for (const origin of bad) read.faults.push(`PRESAGE_CORS_ORIGINS: ${origin} is no origin; write https://example.com`);
  return origins;
}

function databaseFaults({ databaseUrl }: Config): string[] {
  if (databaseUrl === undefined || /^postgres(ql)?:\/\//.test(databaseUrl)) return [];
  return ['PRESAGE_DATABASE_URL: use postgres://user:password@host:port/database'];
}

/** Settings of a service on several nodes, which this version is not: better no start than one that ignores them. */
function unservedFaults(read: Reader): string[] {
  const faults: string[] = [];
  if (read.optional('PRESAGE_JOURNAL_URL') !== undefined) {
    faults.push('PRESAGE_JOURNAL_URL: this version keeps its journal in PRESAGE_DATA_DIR; leave it unset');
  }
  if (read.text('PRESAGE_ROLES', 'all') !== 'all') {
    faults.push('PRESAGE_ROLES: this version runs every role in one process; leave it unset');
  }
  return faults;
}

function liveFaults({ profile, auth, serviceName, chains }: Config): string[] {
  if (profile !== 'live') return [];
  const faults: string[] = [];
  if (auth === 'off') faults.push('PRESAGE_AUTH=off: the live profile requires authentication');
  if (serviceName === DEFAULT_SERVICE_NAME) {
    faults.push(
      'PRESAGE_SERVICE_NAME: name your own service; a registration signature must not work at another operator',
    );
  }
  for (const { chainId, collateralCheck, settlerKey, relayerKey } of chains) {
    if (chainId === 31_337) faults.push('PRESAGE_CHAINS: the live profile refuses the sandbox chain 31337');
    if ([settlerKey, relayerKey].some((key) => PUBLISHED_KEYS.has(key?.toLowerCase() ?? ''))) {
      faults.push(`PRESAGE_CHAINS: chain ${chainId} uses a key of the published test mnemonic; use your own`);
    }
    if (collateralCheck === 'off') faults.push(`PRESAGE_CHAINS: chain ${chainId} needs collateralCheck "enforce"`);
  }
  return faults;
}

function readChains(read: Reader, check: 'off' | 'enforce' | undefined): ChainConfig[] {
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
  return entries.map((entry: unknown, index) => readChain(read, entry, `${path} chains[${index}]`, check));
}

function readChain(read: Reader, entry: unknown, where: string, check: 'off' | 'enforce' | undefined): ChainConfig {
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
  if (!Number.isSafeInteger(chain.chainId)) read.faults.push(`${where}.chainId: give an integer`);
  if (typeof chain.rpcUrl !== 'string') read.faults.push(`${where}.rpcUrl: give the URL of a node`);
  read.faults.push(...keyFaults(chain).map((fault) => `${where}.${fault}`));
  return {
    chainId: chain.chainId ?? 0,
    name: chain.name ?? `chain ${chain.chainId}`,
    rpcUrl: chain.rpcUrl ?? '',
    confirmations: chain.confirmations ?? 1,
    collateralCheck: check ?? chain.collateralCheck ?? 'enforce',
    minOrderSize: chain.minOrderSize ?? 1_000_000,
    contracts: contracts as ContractAddresses,
    fromBlock: chain.fromBlock ?? 0,
    settlerKey: chain.settlerKey ?? '0x',
    relayerKey: chain.relayerKey ?? '0x',
    ...(chain.ownerAddress !== undefined && { ownerAddress: chain.ownerAddress }),
    ...(chain.disputerAddress !== undefined && { disputerAddress: chain.disputerAddress }),
  };
}

function keyFaults({ settlerKey, relayerKey }: Partial<ChainConfig>): string[] {
  const isKey = (key: string | undefined) => /^0x[0-9a-f]{64}$/i.test(key ?? '');
  const faults = Object.entries({ settlerKey, relayerKey }).filter(([, key]) => !isKey(key));
  if (faults.length > 0) return faults.map(([name]) => `${name}: give a private key`);
  return settlerKey?.toLowerCase() === relayerKey?.toLowerCase()
    ? ['relayerKey: give another key than settlerKey']
    : [];
}

const SECRET = /key|password/i;

/** For the log: what is set, with secrets masked. */
export function printableConfig(config: Config): object {
  return JSON.parse(
    JSON.stringify(config, (name, value: unknown) => {
      if (typeof value === 'string' && SECRET.test(name)) return '***';
      return name === 'databaseUrl' && typeof value === 'string' ? value.replace(/:[^:@/]*@/, ':***@') : value;
    }),
  ) as object;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
