// Settings of a simulated node: a single one with every role, or one of several that share a journal.
import type { SigningKey } from '@presage/chain/setup';
import { keyOf, type SandboxRole } from '@presage/devchain';
import { type FeeRates, KNOWN_FEEDS } from '@presage/protocol';
import type { ChainConfig, Config } from '../../apps/server/src/config.ts';
import { CONFIRMATIONS } from './sim-chain.ts';
import type { ChainTemplate } from './sim-chain-template.ts';

export const DATA_DIR = '/data';
export const RECEIPT_KEY = '5e'.repeat(32);
/** Short, so that a life of half a minute sees several owners. */
const LEASE_SECONDS = 3;

/** Place of a node in a cluster. */
export interface ClusterPlace {
  /** Name of the machine, from which its addresses are derived. */
  readonly machine: string;
  readonly roles: Config['roles'];
  readonly partitions: number;
}

export interface SimConfigOptions {
  readonly template: ChainTemplate;
  readonly collateralCheck: 'enforce' | 'off';
  readonly quickRates: FeeRates;
  /** Undefined for a single node. */
  readonly place?: ClusterPlace | undefined;
}

/** Address of a node, which is also its name in the cluster. */
export function addressOf(machine: string): string {
  return `http://${machine}.sim`;
}

export function toConfig({ template, collateralCheck, quickRates, place }: SimConfigOptions): Config {
  const { chainId, blockNumber } = template.deployment;
  const chain: ChainConfig = {
    chainId,
    name: 'simulated',
    rpcUrls: ['http://node-a', 'http://node-b'],
    confirmations: CONFIRMATIONS,
    collateralCheck,
    minOrderSize: 1,
    batchesInFlight: 4,
    minTipGwei: 1,
    maxFeeGwei: 10_000,
    settlementGraceSeconds: 3_600,
    contracts: template.contracts,
    fromBlock: blockNumber,
    keys: { settler: signingKey('settler'), relayer: signingKey('relayer') },
  };
  return {
    profile: 'sandbox',
    host: '127.0.0.1',
    port: 0,
    dataDir: DATA_DIR,
    auth: 'off',
    autofund: false,
    demo: false,
    keeper: true,
    rateLimits: false,
    corsOrigins: [],
    allowedHosts: [],
    proxies: { trusted: [], header: 'x-forwarded-for' },
    admission: {
      hook: undefined,
      walletLimits: {},
      marketLimits: {},
      blocks: { countryHeader: undefined, countries: [], addresses: [] },
    },
    webhooks: undefined,
    isPublic: false,
    serviceName: 'Simulated',
    databaseUrl: undefined,
    dailyDir: undefined,
    journalUrl: place && 'postgres://database.sim/journal',
    leaseSeconds: LEASE_SECONDS,
    drainSeconds: 0,
    standbyAway: 'wait',
    partitions: place?.partitions ?? 1,
    roles: place?.roles ?? ['gateway', 'engine', 'settler'],
    lanes: 0,
    lane: undefined,
    cluster: place && { secret: 'a secret of the simulation', host: `${place.machine}.sim`, port: 0 },
    logLevel: 'silent',
    receiptKey: RECEIPT_KEY,
    journalDelaySeconds: 0,
    anchorMinutes: 0,
    archiveDays: 0,
    admin: undefined,
    operatorKeys: [],
    approvals: { actions: [], minutes: 60 },
    chains: [chain],
    prices: { assets: KNOWN_FEEDS.slice(0, 1), pythUrl: 'http://feed' },
    fees: { rest: {}, quick: quickRates, categories: {} },
  };
}

function signingKey(role: SandboxRole): SigningKey {
  const { address, privateKey } = keyOf(role);
  return { kind: 'local', address, privateKey };
}
