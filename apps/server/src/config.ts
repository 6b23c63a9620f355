// Reads the environment, the only place that does: reports every fault at once, then freezes the configuration.
import { MOST_MARKET_PARTITIONS } from '@presage/protocol';
import { isLoopback } from '@presage/runtime/node';
import { readAdmissionConfig } from './config/admission-config.ts';
import { type ChainConfig, readChains } from './config/chain-config.ts';
import {
  type ClusterSettings,
  clusterFaults,
  type Role,
  readCluster,
  readDrain,
  readRoles,
  STANDBY_CHOICES,
} from './config/cluster-config.ts';
import { chargesAnything, readFeeConfig } from './config/fee-config.ts';
import { type LaneSettings, readLane, readLanes } from './config/lane-config.ts';
import { readAdminListener, readApprovals, readOperatorKeys } from './config/operator-config.ts';
import { readPriceConfig } from './config/price-config.ts';
import { readProxySettings } from './config/proxy-settings.ts';
import { isPublishedKey } from './config/published-keys.ts';
import { type Environment, SettingsReader } from './config/settings-reader.ts';
import { readWebhookConfig } from './config/webhook-config.ts';

export type { StandbyChoice } from './config/cluster-config.ts';
export { canStandBy } from './config/stand-by.ts';
export type { ChainConfig, ClusterSettings, LaneSettings, Role };

export type Config = Readonly<ReturnType<typeof readSettings>>;

export class ConfigInvalid extends Error {
  override readonly name = 'ConfigInvalid';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

const DEFAULT_SERVICE_NAME = 'Presage';
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export function readConfig(environment: Environment): Config {
  const read = new SettingsReader(environment);
  read.refuseTypos();
  const config = readSettings(read);
  read.faults.push(
    ...adminFaults(config),
    ...liveFaults(config),
    ...publicFaults(read, config),
    ...databaseFaults(config),
    ...retentionFaults(config),
    ...clusterFaults(config),
    ...feeFaults(config),
  );
  if (read.faults.length > 0) throw new ConfigInvalid(read.faults);
  return deepFreeze(config);
}

function readSettings(read: SettingsReader) {
  const profile = read.choice('PRESAGE_PROFILE', ['sandbox', 'live'], 'sandbox');
  const isSandbox = profile === 'sandbox';
  const host = read.text('PRESAGE_HOST', '127.0.0.1');
  const autofund = read.isOn('PRESAGE_SANDBOX_AUTOFUND', true);
  const check = read.choice('PRESAGE_COLLATERAL_CHECK', ['off', 'enforce'], autofund ? 'off' : 'enforce');
  const operatorKeys = readOperatorKeys(read);
  const [lanes, lane] = [readLanes(read), readLane(read)];
  return {
    profile,
    host,
    port: read.port(['PRESAGE_PORT', 'PORT'], 8080),
    dataDir: read.text('PRESAGE_DATA_DIR', './data'),
    auth: read.choice('PRESAGE_AUTH', ['off', 'required'], isSandbox ? 'off' : 'required'),
    autofund: isSandbox && autofund,
    /** Whether the service settles undisputed markets by itself. */
    keeper: read.isOn('PRESAGE_KEEPER', true),
    /** Whether the demo maker runs by default. */
    demo: isSandbox && read.isOn('PRESAGE_DEMO', false),
    rateLimits: read.isOn('PRESAGE_RATE_LIMITS', !isSandbox),
    /** Origins of pages that may write from a browser; GET is open to all. */
    corsOrigins: readOrigins(read),
    /** Host names that a sandbox accepts, besides addresses and names of this machine. */
    allowedHosts: read.list('PRESAGE_ALLOWED_HOSTS').map((name) => name.toLowerCase()),
    /** Proxies trusted to name the address of a client. */
    proxies: readProxySettings(read),
    /** The operator's admission rules for wallets: hook and limits. */
    admission: readAdmissionConfig(read),
    /** Receiver of webhooks; undefined if none are sent. */
    webhooks: readWebhookConfig(read),
    /** Whether others can reach the service. */
    isPublic: !isLoopback(host),
    serviceName: read.text('PRESAGE_SERVICE_NAME', DEFAULT_SERVICE_NAME),
    databaseUrl: read.optional('PRESAGE_DATABASE_URL'),
    /** PostgreSQL with a journal that several nodes share; undefined if the journal is in the data directory. */
    journalUrl: read.optional('PRESAGE_JOURNAL_URL'),
    /** Silence after which a node loses its partitions of a shared journal. */
    leaseSeconds: read.integer('PRESAGE_LEASE_SECONDS', [1, 60], 5),
    /** Time for which a stopping node still answers while `/ready` says 503. */
    drainSeconds: readDrain(read),
    /** Behaviour while the journal's server lacks its synchronous standby. */
    standbyAway: read.choice('PRESAGE_STANDBY_AWAY', STANDBY_CHOICES, 'wait'),
    /** Number of journal partitions for markets; fixed at the first start. */
    partitions: read.integer('PRESAGE_PARTITIONS', [1, MOST_MARKET_PARTITIONS], 1),
    /** Roles of this node; a single node has all of them. */
    roles: readRoles(read),
    /** Address at which other nodes, or this node's lanes, call it; undefined for a single node without lanes. */
    cluster: readCluster(read, lanes),
    /** Number of processes that take connections for this service; 0 if it takes them itself. */
    lanes,
    /** Settings of a lane; set if this process is one. */
    lane,
    logLevel: read.choice('PRESAGE_LOG_LEVEL', LOG_LEVELS, 'info'),
    /** Ed25519 seed for signing receipts; by default one is created in the data directory. */
    receiptKey: readReceiptKey(read),
    /** Age at which records are published. */
    journalDelaySeconds: read.integer('PRESAGE_JOURNAL_DELAY', [0, 604_800], 0),
    /** Interval of anchoring the journal's heads on chain; 0 for never. */
    anchorMinutes: read.decimal('PRESAGE_ANCHOR_MINUTES', [0, 10_080], isSandbox ? 10 : 0),
    /** Age in days at which archived segments of the journal are deleted; 0 for never. */
    archiveDays: read.integer('PRESAGE_ARCHIVE_DAYS', [0, 36_500], 0),
    /** Folder of the public daily archive; `daily` in the data directory by default. */
    dailyDir: read.optional('PRESAGE_DAILY_DIR'),
    /** Port for operators; undefined in a sandbox without one, where operators use the main port. */
    admin: lane === undefined ? readAdminListener(read, profile) : undefined,
    /** Permanent operator keys, which add and revoke the others. */
    operatorKeys,
    /** Actions that need the confirmation of a second operator. */
    approvals: readApprovals(read, profile, operatorKeys.length),
    chains: readChainsOf(read, isSandbox ? check : undefined),
    prices: readPriceConfig(read, profile),
    /** Fees that new markets charge takers. */
    fees: readFeeConfig(read),
  };
}

/** Reads the chains. An engine-only node needs none; a node that does not settle needs no keys. */
function readChainsOf(read: SettingsReader, check: 'off' | 'enforce' | undefined): readonly ChainConfig[] {
  const roles = readRoles(new SettingsReader(read.environment));
  const needsChains = roles.some((role) => role !== 'engine') || read.optional('PRESAGE_CHAINS') !== undefined;
  return needsChains ? readChains(read, { check, needsKeys: roles.includes('settler') }) : [];
}

/** Refuses one port for both: the operator's endpoints would be open to everybody. */
function adminFaults({ port, admin }: Config): string[] {
  return admin?.port === port && port !== 0 ? ['PRESAGE_ADMIN_PORT: give another port than PRESAGE_PORT'] : [];
}

/** Refuses an unintended public sandbox: its keys are published, writes need no token, and anybody can control its chain. */
function publicFaults(read: SettingsReader, { profile, isPublic, host }: Config): string[] {
  const isWanted = read.choice('PRESAGE_SANDBOX_PUBLIC', ['yes', 'no'], 'no') === 'yes';
  if (profile !== 'sandbox' || !isPublic || isWanted) return [];
  return [
    `PRESAGE_HOST=${host}: a sandbox that others can reach lets anybody write and control it; ` +
      'listen on 127.0.0.1, or set PRESAGE_SANDBOX_PUBLIC=yes if that is what you want',
  ];
}

/** Refuses fees on a chain without a treasury: its contracts reject such markets. */
function feeFaults({ fees, chains }: Config): string[] {
  const without = chargesAnything(fees) ? chains.filter(({ treasury }) => treasury === undefined) : [];
  return without.map(
    ({ chainId }) =>
      `PRESAGE_MARKET_FEES: chain ${chainId} has no treasury; name the one that its contracts pay in the chains file`,
  );
}

function readOrigins(read: SettingsReader): readonly string[] | '*' {
  const origins = read.list('PRESAGE_CORS_ORIGINS');
  if (origins.length === 1 && origins[0] === '*') return '*';
  const bad = origins.filter((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  for (const origin of bad) read.faults.push(`PRESAGE_CORS_ORIGINS: ${origin} is no origin; write https://example.com`);
  return origins;
}

function readReceiptKey(read: SettingsReader): string | undefined {
  const key = read.optional('PRESAGE_RECEIPT_KEY')?.replace(/^0x/, '').toLowerCase();
  if (key === undefined || /^[0-9a-f]{64}$/.test(key)) return key;
  read.faults.push('PRESAGE_RECEIPT_KEY: write an Ed25519 seed of 64 hex digits');
  return undefined;
}

function databaseFaults({ databaseUrl, journalUrl, receiptKey }: Config): string[] {
  const urls = { PRESAGE_DATABASE_URL: databaseUrl, PRESAGE_JOURNAL_URL: journalUrl };
  const bad = Object.entries(urls).filter(([, url]) => url !== undefined && !isDatabaseUrl(url));
  const faults = bad.map(
    ([name]) =>
      `${name}: use postgres://user:password@host:port/database, with # / ? @ % of a password as %23 %2F %3F %40 %25`,
  );
  if (journalUrl !== undefined && receiptKey === undefined) {
    faults.push(
      'PRESAGE_RECEIPT_KEY: every node of a shared journal signs receipts with the same key; set it on all of them',
    );
  }
  return faults;
}

/** Refuses to delete records before they are published: nobody could ever check them. */
function retentionFaults({ archiveDays, journalDelaySeconds }: Config): string[] {
  if (archiveDays === 0 || archiveDays * 86_400 > journalDelaySeconds) return [];
  return [`PRESAGE_ARCHIVE_DAYS: keep records for longer than PRESAGE_JOURNAL_DELAY (${journalDelaySeconds} s)`];
}

function isDatabaseUrl(text: string): boolean {
  // Checks the first of several servers only: they share the rest of the URL.
  const url = text.replace(/^(\w+:\/\/(?:[^/]*@)?[^,/]*),[^/?]*/, '$1');
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return false;
  try {
    const { username, password } = new URL(url);
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** Ids of the chains that a sandbox may start. */
const SANDBOX_CHAINS = [31_337, 31_338, 31_339, 31_340];

function liveFaults({ profile, auth, serviceName, chains }: Config): string[] {
  if (profile !== 'live') return [];
  const faults: string[] = [];
  if (auth === 'off') faults.push('PRESAGE_AUTH=off: the live profile requires authentication');
  if (serviceName === DEFAULT_SERVICE_NAME) {
    faults.push(
      'PRESAGE_SERVICE_NAME: name your own service; a registration signature must not work at another operator',
    );
  }
  for (const { chainId, collateralCheck, keys, ...roles } of chains) {
    if (SANDBOX_CHAINS.includes(chainId)) {
      faults.push(`PRESAGE_CHAINS: the live profile refuses the sandbox chain ${chainId}`);
    }
    const { ownerAddress, pauserAddress, creatorAddress, arbitratorAddress, treasury } = roles;
    const named = [ownerAddress, pauserAddress, creatorAddress, arbitratorAddress, treasury];
    const own = [keys?.settler, keys?.relayer, keys?.creator].map((key) => key?.address);
    if ([...own, ...named].some(isPublishedKey)) {
      faults.push(`PRESAGE_CHAINS: chain ${chainId} uses a key of the published test mnemonic; use your own`);
    }
    if (collateralCheck === 'off') faults.push(`PRESAGE_CHAINS: chain ${chainId} needs collateralCheck "enforce"`);
  }
  return faults;
}

const SECRET = /key|password|secret/i;
/** Settings of which only the origin is printed: providers put API keys into the paths of node URLs. */
const URLS = ['rpcUrls', 'url'];

/** The configuration for the log, with secrets masked. */
export function printableConfig(config: Config): object {
  return JSON.parse(
    JSON.stringify(config, (name, value: unknown) => {
      if (typeof value === 'bigint') return String(value);
      if (typeof value === 'string' && SECRET.test(name)) return '***';
      if (URLS.includes(name)) return [value].flat().map(toOrigin);
      return /^(database|journal)Url$/.test(name) && typeof value === 'string' ? maskPassword(value) : value;
    }),
  );
}

/** Masks passwords anywhere in a URL; shows nothing of a text that cannot be parsed. */
function maskPassword(text: string): string {
  if (!URL.canParse(text)) return '***';
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const name of [...url.searchParams.keys()]) if (SECRET.test(name)) url.searchParams.set(name, '***');
  return url.href;
}

function toOrigin(url: unknown): string {
  return URL.canParse(String(url)) ? new URL(String(url)).origin : '***';
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
