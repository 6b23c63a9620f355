// The service in a simulated process: the part that trades, as the service composes it, with a simulated disk, network and view.
import type { SigningKey } from '@presage/chain/setup';
import { keyOf, type SandboxRole } from '@presage/devchain';
import { type Address, type FeeRates, KNOWN_FEEDS } from '@presage/protocol';
import { openSigningKey } from '@presage/protocol/ed25519';
import { openSignerRecovery } from '@presage/protocol/signer';
import { Shutdown } from '@presage/runtime';
import type { ProcessProbe } from '@presage/runtime/node';
import { SILENT_LOG } from '@presage/testkit';
import type { Admission } from '../../apps/server/src/admission/admission.ts';
import type { ChainActor } from '../../apps/server/src/chains/chain-actor.ts';
import type { Chains } from '../../apps/server/src/chains/chains.ts';
import { ServiceClock } from '../../apps/server/src/clock.ts';
import { openExchange } from '../../apps/server/src/compose-exchange.ts';
import type { ChainConfig, Config } from '../../apps/server/src/config.ts';
import type { DeadManSwitches } from '../../apps/server/src/host/dead-man-switches.ts';
import { type OpenHost, openJournal } from '../../apps/server/src/host/open.ts';
import type { PartitionLog } from '../../apps/server/src/host/partition-log.ts';
import type { Prices } from '../../apps/server/src/prices/prices.ts';
import type { Views } from '../../apps/server/src/projections/views.ts';
import { Receipts } from '../../apps/server/src/proof/receipts.ts';
import { FetchPost } from './fetch-post.ts';
import { CONFIRMATIONS } from './sim-chain.ts';
import type { ChainTemplate } from './sim-chain-template.ts';
import type { SimDisk } from './sim-disk.ts';

export const DATA_DIR = '/data';
/** Small, so that a short life already has several segments and archives. */
const SEGMENT = { segmentBytes: 96 * 1024, growBytes: 16 * 1024 };
/** Often, so that a kill meets one. */
const CHECKPOINT_EVERY = 12;
const RECEIPT_KEY = '5e'.repeat(32);

/** Compiled once: the same for every process of the world. */
const recovery = await openSignerRecovery();
const signers = {
  recover: async (digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined> =>
    recovery.recover(digest, signature),
};

/** One for all lives: to open a key costs more than a signature. */
const receipts = new Receipts(openSigningKey(RECEIPT_KEY));

export interface SimServiceOptions {
  readonly template: ChainTemplate;
  readonly disk: SimDisk;
  readonly probe: ProcessProbe;
  readonly prices: Pick<Prices, 'boundaryUpdate' | 'isFresh'>;
  readonly collateralCheck: 'enforce' | 'off';
  readonly quickRates: FeeRates;
  readonly openViews: (source: PartitionLog, host: OpenHost) => Promise<SimViews>;
  readonly onWarning: (message: string) => void;
  /** The process ends itself. */
  readonly onFatal: (error: unknown) => void;
}

interface SimViews {
  readonly views: Views;
  /** Records that the view has not reached. */
  readonly lag: () => number;
  close(): Promise<void>;
}

export interface SimService {
  readonly admission: Admission;
  readonly host: OpenHost;
  readonly chains: Chains;
  /** What acts on the one chain. */
  readonly actor: ChainActor;
  readonly switches: DeadManSwitches;
  readonly clock: ServiceClock;
  readonly markets: PartitionLog;
  readonly viewLag: () => number;
  /** Closes the service as an operator does. */
  close(): Promise<void>;
}

export async function openSimService(options: SimServiceOptions): Promise<SimService> {
  const shutdown = new Shutdown((name, error) => options.onWarning(`${name} did not close: ${String(error)}`));
  const config = toConfig(options);
  const clock = new ServiceClock();
  const { onFatal, onWarning, disk, probe, prices } = options;
  const onProgress = () => undefined;
  const warn = (details: object, message: string) => onWarning(`${message} ${JSON.stringify(details)}`);
  const log = { ...SILENT_LOG, warn, error: warn };
  const journal = await openJournal({
    config,
    address: 'http://service.sim',
    openDatabase: () => Promise.reject(new Error('the journal is in files')),
    disk: { files: disk, probe, ...SEGMENT },
    nowMs: clock.nowMs,
    onProgress,
    onFatal,
    onWarning,
    onSealed: () => undefined,
    checkpointEvery: CHECKPOINT_EVERY,
  });
  shutdown.add('journal', () => journal.close());
  // One partition of markets.
  const markets = journal.markets[0]!;
  const { chains, host, admission, switches, view, start } = await openExchange({
    config,
    clock,
    log,
    shutdown,
    journal,
    receipts,
    signers,
    checkpointEvery: CHECKPOINT_EVERY,
    onMaker: () => undefined,
    onProgress,
    onFatal,
    // Only what the markets ask of them.
    openPrices: async () => prices as Prices,
    openView: async (opened) => {
      const projections = await options.openViews(markets, opened);
      shutdown.add('projections', () => projections.close());
      return projections;
    },
    openHeads: () => ({ isLive: false, start: () => undefined, close: () => undefined }),
    openPost: (url) => new FetchPost(url),
    pace: 'live',
  });
  start();
  const { actor } = chains.first;
  if (actor === undefined) throw new Error('the simulated node settles');
  return { admission, host, chains, actor, switches, clock, markets, viewLag: view.lag, close: () => shutdown.run() };
}

function toConfig({ template, collateralCheck, quickRates }: SimServiceOptions): Config {
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
    journalUrl: undefined,
    leaseSeconds: 5,
    partitions: 1,
    roles: ['gateway', 'engine', 'settler'],
    cluster: undefined,
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
