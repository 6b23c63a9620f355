// Composes the service, top to bottom as the data flows. Parts opened here are closed here in reverse order.

import { Shutdown, sleep } from '@presage/runtime';
import type { SignaturePool } from '@presage/signers';
import { openSigners } from './admission/open.ts';
import { HttpListener, LanePass, openApi, VERSION } from './api/open.ts';
import { openAuth } from './auth/open.ts';
import type { Chains } from './chains/chains.ts';
import { ServiceClock } from './clock.ts';
import { type Exchange, openExchange } from './compose-exchange.ts';
import type { Config } from './config.ts';
import { type Journal, JournalFaults, type OpenHost, openJournal, watchDisk } from './host/open.ts';
import type { Lanes } from './lanes/lanes.ts';
import type { Log } from './log/log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { openMetrics, openStandbyState, watchChain, watchSurroundings } from './metrics/open.ts';
import { type Operator, openOperator } from './operator/open.ts';
import type { OperatorService } from './operator/operator-service.ts';
import { openPrices } from './prices/open.ts';
import { openAuditLog, openViews } from './projections/open.ts';
import { openAnchors, openArchiveFolder, openReceipts, PublicJournal } from './proof/open.ts';
import type { Receipts } from './proof/receipts.ts';
import { OPERATIONS } from './relayer/open.ts';
import type { Sandbox, SandboxServices } from './sandbox/open.ts';
import { openJournalDatabase, type Store, startStore } from './store/open.ts';
import { openWebhooks } from './webhooks/open.ts';

export interface ComposeOptions {
  readonly config: Config;
  readonly log: Log;
  /** Reports a startup step to the person who waits. */
  readonly onProgress: (step: string) => void;
  /** Called when the sandbox's demo maker should start or stop. */
  readonly onMaker: (running: boolean) => void;
  /** Called when this node waits for a partition of a shared journal: for its owner to release it, or for the right database. */
  readonly onStandBy: () => void;
  /** Called when the journal can no longer be trusted: the process must end or stand by. */
  readonly onFatal: (error: unknown) => void;
  /** Aborted to end the process: closes parts that are open and those still opening. */
  readonly signal: AbortSignal;
}

export interface Service {
  readonly url: string;
  /** Address for operators; undefined if they use the main address. */
  readonly adminUrl: string | undefined;
  close(): Promise<void>;
}

export async function compose(options: ComposeOptions): Promise<Service> {
  const { log } = options;
  const shutdown = new Shutdown((name, error) =>
    log.error({ name, error: String(error) }, 'component failed to shut down'),
  );
  // A signal for this run alone: a node that reopens many times must not pile up listeners on the process's signal.
  const signal = AbortSignal.any([options.signal]);
  signal.addEventListener('abort', () => void shutdown.run());
  try {
    return await build({ ...options, signal }, shutdown);
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function build(options: ComposeOptions, shutdown: Shutdown): Promise<Service> {
  const { config, log, onProgress, onFatal, onMaker } = options;
  const clock = new ServiceClock();
  const front = await openFront(config, shutdown);
  const signers = openSigners(log);
  shutdown.add('signatures', async () => (await signers.opened).close());
  const lane = config.lane && { lane: String(config.lane.index) };
  const metrics = openMetrics({ version: VERSION, node: process.version, ...lane });
  shutdown.add('metrics', () => metrics.close());
  const receipts = await openReceipts(config);
  const node = await openNode({ ...options, clock, shutdown, front, metrics, receipts });
  const { journal } = node;
  const auth = openAuth({ config, signers, note: journal.note, node: config.cluster && front.url });
  const operator = await openOperator({ config, checkerOf: auth.checkerOf, note: journal.note });

  // Engine and database start in parallel: the engine waits for the processor, the database for disks.
  onProgress('starting the database');
  const { opened: storing, launched } = startStore({ ...config, isLane: config.lane !== undefined, onProgress });
  const closeStore = (store: Store) => store.close();
  shutdown.add('database', () => storing.then(closeStore, () => undefined));
  // The engine's recovery blocks this thread. Without this wait, the database server would be launched only after all of it.
  await launched;
  const exchange = await openExchange({
    config,
    clock,
    log,
    shutdown,
    journal,
    receipts,
    signers,
    controlFollowers: [auth, operator],
    marketFollowers: [metrics],
    stops: operator.state,
    onMaker,
    onProgress,
    onFatal,
    onDecided: metrics.observeMatch,
    openPrices: (sandbox) => openServicePrices({ config, clock, log, shutdown, sandbox }),
    openView: (host) => openDatabase({ ...options, shutdown, node, front, storing, host }),
  });
  const { chains, host, prices, sandbox, view } = exchange;
  const pool = await signers.opened;
  watchSurroundings(metrics, config.dataDir, view.store.isUp);
  metrics.addGauges({ ...prices.gauges(), ...view.projections.gauges(), ...pool.gauges(), ...operator.gauges() });
  await chains.onOpened((chain) => watchChain(metrics, chain));
  await chains.onOpened(({ pauses }) => operator.state.followChain(pauses));
  const webhooks = await openServiceWebhooks({ config, log, shutdown, journal, chains });
  const { neededFromSeq } = view.projections;
  const markets = (index: number) => Math.min(neededFromSeq(index), webhooks?.neededFromSeq(index) ?? Infinity);
  journal.keepFor({ markets, control: view.audit.neededFromSeq });
  exchange.start();
  shutdown.add('sandbox', () => sandbox.close());
  const operatorKey = operator.sandboxKey;
  const sandboxServices = await sandbox.serve({ chains, ...host, prices, operatorKey, log });
  const proof = await openProof({ config, clock, log, shutdown, journal, receipts, chains });
  const { reads, commands } = host;
  const { service, schedule, blockedOrders, unfinished } = operator.serve({ chains, reads, commands, clock, log });
  journal.followMarkets([blockedOrders]);
  unfinished.start();
  shutdown.add('unfinished acts', () => unfinished.close());
  schedule.start();
  shutdown.add('scheduled markets', () => schedule.close());
  const parts = {
    node,
    front,
    exchange,
    metrics,
    pool,
    auth,
    operator,
    service,
    sandboxServices,
    proof,
    receipts,
    clock,
    webhooks,
  };
  const api = await openServiceApi(options, parts);
  const lanes = await openServiceLanes(options, parts);
  shutdown.add('api', () => api.close());
  // Requests, batches and records waiting for an engine or a journal would block the other shutdown steps.
  shutdown.add('waiting', node.stopWaiting);
  options.signal.removeEventListener('abort', node.stopWaiting);
  // Runs first: balancers learn from `/ready` to send requests elsewhere while this node still answers all of them.
  shutdown.add('drain', async () => {
    const ending = lanes?.close((config.drainSeconds + LANE_END_SECONDS) * 1_000);
    await Promise.all([node.drain(config.drainSeconds), view.projections.yieldLease(), ending]);
  });
  sandbox.start();
  lanes?.start();
  return { url: front.url, adminUrl: front.adminUrl, close: () => shutdown.run() };
}

/** The listener is open from the first moment and answers 425 until the service is ready. */
async function openFront(config: Config, shutdown: Shutdown) {
  const listener = new HttpListener();
  // `hand` is set if there are lanes. Until one is ready, the service itself answers.
  const door: { hand?: Lanes['hand'] } = {};
  const ownUrl = await (config.lanes > 0 ? listener.listen(0, '127.0.0.1') : listener.listen(config.port, config.host));
  shutdown.add('listener', () => listener.close());
  const handOn: Lanes['hand'] = (socket) => door.hand?.(socket) ?? false;
  const url = config.lanes > 0 ? await listener.openDoor(config.port, config.host, handOn) : ownUrl;
  const adminListener = config.admin && new HttpListener();
  const adminUrl = config.admin && (await adminListener?.listen(config.admin.port, config.admin.host));
  shutdown.add('admin listener', () => adminListener?.close());
  return { listener, url, ownUrl, door, adminListener, adminUrl };
}

interface NodeParts extends ComposeOptions {
  readonly clock: ServiceClock;
  readonly shutdown: Shutdown;
  readonly front: Awaited<ReturnType<typeof openFront>>;
  readonly metrics: Metrics;
  readonly receipts: Receipts;
}

/** Opens the journal, which is the source of truth, and the links to other nodes that share it. */
async function openNode({ config, log, onProgress, onFatal, shutdown, front, ...parts }: NodeParts) {
  const { metrics, receipts, clock, signal } = parts;
  const onWarning = (message: string) => log.warn({}, message);
  const [onDurable, onSealed] = [metrics.observeJournal, receipts.prepare];
  const standby = openStandbyState(metrics);
  const { standbyAway } = config;
  const openDatabase = (url: string) => openJournalDatabase(url, { standbyAway, onWarning, onStandby: standby.note });
  const { publicKey: receiptKey } = receipts;
  const common = { config, address: front.url, openDatabase, receiptKey, nowMs: clock.nowMs };
  const pass = config.cluster && new LanePass(config.cluster.secret, config.proxies);
  const lane = config.lane && pass && { signForwarded: pass.sign };
  const place = { ...common, onProgress, onFatal, onWarning, ...lane };
  // A service with lanes signs receipts in this process; its lanes need not.
  const sign = config.lanes > 0 ? { sign: receipts.signatureOf } : {};
  // Loaded only in a cluster: a single node has no code for other nodes.
  const cluster = config.cluster && (await (await import('./cluster/open.ts')).openCluster({ ...place, ...sign }));
  shutdown.add('cluster', () => cluster?.close());
  const onStandBy = (reason: string) => {
    front.listener.waitFor('journal');
    onProgress(`standing by: ${reason}`);
    parts.onStandBy();
  };
  // If the database holds another history, a gateway keeps serving what it has read. A settler acts on what it has read, so it
  // must start over and read everything again.
  const onDiffers = config.roles.includes('settler') ? onFatal : undefined;
  const faults = new JournalFaults();
  const notes = { onDurable, onSealed, onStandBy, onDiffers, faults, signal };
  const journal = await openJournal({ ...place, ...notes, others: cluster });
  shutdown.add('journal', () => journal.close());
  // Until the rest is open, only this listener can end a wait for an engine or a journal.
  const stopWaiting = () => {
    cluster?.hurry();
    journal.stopWaiting();
  };
  signal.addEventListener('abort', stopWaiting);
  let isStopping = false;
  const drain = async (seconds: number) => {
    isStopping = true;
    front.listener.endConnections();
    await sleep(seconds * 1_000);
  };
  await watchDisk(config.dataDir, log, faults, shutdown);
  const isWritable = () => journal.isWritable() && cluster?.isOwnerWritable() !== false;
  const lacking = () => [
    ...(journal.isFollowing() && isWritable() ? [] : (['journal'] as const)),
    ...(cluster === undefined || cluster.areEnginesHeard() ? [] : (['engine'] as const)),
    ...(isStopping ? (['stopping'] as const) : []),
  ];
  const passed = config.lanes > 0 ? pass?.read : undefined;
  const hasOtherReceiptKey = () => cluster?.hasOtherReceiptKey() === true;
  const { isAway: isStandbyAway } = standby;
  return { cluster, passed, journal, faults, lacking, stopWaiting, drain, isStandbyAway, hasOtherReceiptKey };
}

type Node = Awaited<ReturnType<typeof openNode>>;

type PriceParts = Pick<NodeParts, 'config' | 'log' | 'clock' | 'shutdown'> & { readonly sandbox: Sandbox };

async function openServicePrices({ config, clock, log, shutdown, sandbox }: PriceParts) {
  const beforeConnect = () => sandbox.beforeConnect();
  const prices = await openPrices({ config, nowMs: clock.nowMs, log, beforeConnect });
  shutdown.add('prices', () => prices.close());
  return prices;
}

interface DatabaseParts extends Pick<NodeParts, 'config' | 'log' | 'onProgress' | 'shutdown' | 'front' | 'signal'> {
  readonly node: Node;
  readonly storing: Promise<Store>;
  readonly host: OpenHost;
}

/** Opens the view: the database tables that are derived from the journal. */
async function openDatabase({ config, log, onProgress, shutdown, node, front, storing, host, signal }: DatabaseParts) {
  const { journal, cluster } = node;
  const store = await storing;
  // If aborted, the shutdown has already closed the store.
  signal.throwIfAborted();
  // A service with lanes needs no lease on the view: it alone writes it, and its lanes only read it.
  const isShared = cluster !== undefined && config.databaseUrl !== undefined && config.lanes === 0;
  const isReader = config.lane !== undefined;
  const shared = isShared ? { address: front.url, leaseMs: config.leaseSeconds * 1_000, isReader } : undefined;
  const { durableSeqs: answeredSeqs } = host;
  const projections = await openViews({ config, journal, store, shared, answeredSeqs, onProgress, log, signal });
  shutdown.add('projections', () => projections.close());
  const { views, owner } = projections;
  const { audit, trouble } = await openAuditLog({ config, source: journal.control, sql: store.sql, owner, log });
  shutdown.add('audit log', () => audit.close());
  return { views, store, projections, audit, trouble: () => projections.trouble() ?? trouble() };
}

type WebhookParts = Pick<NodeParts, 'config' | 'log' | 'shutdown'> & {
  readonly journal: Journal;
  readonly chains: Chains;
};

async function openServiceWebhooks({ config, log, shutdown, journal, chains }: WebhookParts) {
  const alarms = () =>
    chains.list().flatMap(({ config: { chainId }, actor }) => {
      const raised = [...(actor?.stuckSenders() ?? []), ...(actor?.operations.alarms() ?? [])];
      return raised.map((name) => `${name} on chain ${chainId}`);
    });
  const isWatched = (chainId: number) => chains.find(chainId)?.actor?.operations.watch.hasLooked === true;
  const isKnown = (alarm: string) =>
    config.chains.every(({ chainId }) => isWatched(chainId) || !alarm.endsWith(` on chain ${chainId}`));
  const webhooks = await openWebhooks({ config, log, logs: journal.markets, alarms, isKnown });
  await webhooks?.start();
  shutdown.add('webhooks', () => webhooks?.close());
  return webhooks;
}

interface ProofParts extends Pick<NodeParts, 'config' | 'log' | 'clock' | 'shutdown' | 'receipts'> {
  readonly journal: Journal;
  readonly chains: Chains;
}

/** Opens what outsiders verify: the public journal, anchors and the daily archive. */
async function openProof({ config, clock, log, shutdown, journal, receipts, chains }: ProofParts) {
  const { nowMs } = clock;
  const { markets, control } = journal;
  const others = () => [...chains.list().map(({ partition }) => partition), control];
  const delayMs = config.journalDelaySeconds * 1_000;
  const publicJournal = new PublicJournal({ markets, others, receipts, nowMs, delayMs });
  shutdown.add('public journal', () => publicJournal.close());
  const anchors = openAnchors({ config, journal: publicJournal, nowMs, log });
  shutdown.add('anchors', () => anchors.close());
  await chains.onOpened(anchors.add);
  return { publicJournal, anchors, dailyArchive: openArchiveFolder(config) };
}

interface ApiParts extends Pick<NodeParts, 'clock' | 'front' | 'metrics' | 'receipts'> {
  readonly node: Node;
  readonly exchange: Exchange<Awaited<ReturnType<typeof openDatabase>>>;
  readonly pool: SignaturePool;
  readonly auth: ReturnType<typeof openAuth>;
  readonly operator: Operator;
  readonly service: OperatorService;
  readonly sandboxServices: SandboxServices | undefined;
  readonly proof: Awaited<ReturnType<typeof openProof>>;
  readonly webhooks: Awaited<ReturnType<typeof openWebhooks>>;
}

/** Opens the API, which is given ports only. */
function openServiceApi({ config, log }: ComposeOptions, parts: ApiParts) {
  const { node, front, exchange, metrics, pool, auth, operator, sandboxServices, proof, receipts, clock } = parts;
  const { webhooks, service } = parts;
  const { cluster, journal } = node;
  const { chains, host, prices, switches, admission, view } = exchange;
  const { reads, commands } = host;
  return openApi({
    ...front,
    ...auth,
    ...proof,
    config,
    log,
    metrics,
    clock,
    chains,
    reads,
    commands,
    operations: OPERATIONS,
    prices,
    switches,
    admission,
    receipts,
    views: view.views,
    marketLogs: journal.markets,
    ...(node.passed && { passed: node.passed }),
    ...(cluster && { positions: journal, gateways: cluster.gatewayCount, passOn: cluster.passOn }),
    status: {
      isDatabaseUp: view.store.isUp,
      faults: node.faults,
      lacking: node.lacking,
      isStandbyAway: node.isStandbyAway,
      hasOtherReceiptKey: node.hasOtherReceiptKey,
      viewLag: view.projections.lag,
      viewTrouble: view.trouble,
      signatureQueue: () => pool.outstanding,
    },
    operator: {
      ...operator,
      service,
      audit: view.audit,
      webhooks,
    },
    ...(sandboxServices && { sandbox: sandboxServices }),
  });
}

/** Time for a lane to answer its open requests before it ends; no longer than its own listener waits. */
const LANE_END_SECONDS = 12;

/** Opens the lanes of this service; in a lane's own process, starts taking connections instead. */
async function openServiceLanes({ config, log }: ComposeOptions, parts: ApiParts) {
  if (config.lanes === 0 && config.lane === undefined) return undefined;
  const { front, node, exchange, metrics } = parts;
  const { openLanes, serveAsLane } = await import('./lanes/open.ts');
  if (config.lane !== undefined) return serveAsLane((socket) => front.listener.take(socket));
  const lanes = await openLanes({
    config,
    environment: process.env,
    databaseUrl: exchange.view.store.url,
    linkAddress: node.cluster?.linkAddress ?? '',
    address: front.ownUrl,
    // Ends connections to the service itself, so that their clients reach a lane with the next request.
    onServing: (isServing) => front.listener.endDoorConnections(isServing),
    log,
  });
  front.door.hand = lanes.hand;
  metrics.addGauges(lanes.gauges());
  metrics.addCounters(lanes.counters());
  return lanes;
}
