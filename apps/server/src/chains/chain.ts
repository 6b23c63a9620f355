// Opens one chain with every module that works on it: what compose.ts is for the service, this is for a chain.

import {
  type ContractCall,
  type Contracts,
  createContracts,
  FailoverRpc,
  JsonRpc,
  type Post,
  type Rpc,
  type SenderAlarm,
  TransactionSender,
  type TransactionSenderOptions,
} from '@presage/chain';
import { toSigningAccount } from '@presage/chain/setup';
import type { Address, ChainIdentity, JournalRecord, OrderHash } from '@presage/protocol';
import type { Shutdown } from '@presage/runtime';
import type { Clock } from '../clock.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { KeepState, OpenHost } from '../host/open.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import type { Indexer } from '../indexer/indexer.ts';
import { openIndexer } from '../indexer/open.ts';
import type { Log } from '../log/log.ts';
import type { ChainOperations } from '../operator/chain-operations.ts';
import { openOperations } from '../operator/open.ts';
import type { Prices } from '../prices/prices.ts';
import type { Views } from '../projections/views.ts';
import type { AnchorJournal } from '../proof/anchors.ts';
import { openQuickMarkets } from '../quick/open.ts';
import type { QuickIds } from '../quick/ports.ts';
import type { QuickMarkets } from '../quick/quick-markets.ts';
import { type OpenRelayer, type OpenRelayerOptions, openRelayer } from '../relayer/open.ts';
import { openResolution } from '../resolution/open.ts';
import type { Sandbox, SandboxChain } from '../sandbox/open.ts';
import { openSettlement } from '../settlement/open.ts';
import type { Settlement } from '../settlement/settlement.ts';
import { type OpenWalletsOptions, openWallets, type Wallets } from '../wallets/open.ts';
import { requireFitChain } from './chain-checks.ts';
import { awaitChainIdentity, learnChainIdentity } from './chain-identity.ts';
import { ChainLog } from './chain-log.ts';
import type { OnChainProblem } from './chain-problem.ts';
import { ChainReads } from './chain-reads.ts';
import { ChainState } from './chain-state.ts';
import { HeadSubscription, type HeadSubscriptionOptions } from './head-subscription.ts';
import { type SenderFees, toSenderFees } from './sender-fees.ts';
import type { TradingHalts } from './trading-halts.ts';

export interface OpenChainOptions {
  readonly config: Config;
  readonly chain: ChainConfig;
  /** The chain's own partition of the journal. */
  readonly partition: PartitionLog;
  readonly keepState: KeepState;
  readonly host: OpenHost;
  readonly views: Views;
  readonly prices: Prices;
  readonly quickIds: QuickIds;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Who signed what. */
  readonly signers: OpenRelayerOptions['signers'];
  /** Of this chain alone. */
  readonly shutdown: Shutdown;
  /** Aborted when nobody waits for the chain's first answer any more. */
  readonly signal: AbortSignal;
  /** The chain cannot be opened yet; called at every attempt. */
  readonly onProblem: OnChainProblem;
  readonly log: Log;
  /** A reorganization went deeper than can be undone: the process must end. */
  readonly onFatal: (error: unknown) => void;
  /** Another way to learn of new blocks than a WebSocket, for the simulator. */
  readonly openHeads?: (options: HeadSubscriptionOptions) => Heads;
  /** Another way to ask a node than HTTP, for the simulator. */
  readonly openPost?: (url: string) => Post;
  /** How often the chain is asked, where that is not as its profile does: the simulator has a chain as slow as a live one. */
  readonly pace?: Config['profile'];
}

type Heads = Pick<HeadSubscription, 'isLive' | 'start' | 'close'>;

export interface Chain {
  readonly config: ChainConfig;
  readonly identity: ChainIdentity;
  readonly partition: PartitionLog;
  /** Of its own markets only. */
  readonly reads: ChainReads;
  readonly rpc: Rpc;
  readonly wallets: Wallets;
  readonly relayer: OpenRelayer;
  readonly settlement: Settlement;
  /** Absent where the chain has no contracts for them. */
  readonly quick: QuickMarkets | undefined;
  readonly indexer: Indexer;
  /** As far as the indexer has seen. */
  readonly halts: Pick<TradingHalts, 'effectiveAfter'>;
  readonly anchors: AnchorJournal;
  /** Absent on a chain of others. */
  readonly sandbox: SandboxChain | undefined;
  /** What operators can do here. */
  readonly operations: ChainOperations;
  /** What the next proposal of a market has to put up; undefined while the chain cannot be asked. */
  readonly readBond: (market: Address) => Promise<bigint | undefined>;
  /** Nothing is on its way to the chain. */
  isQuiet(): boolean;
  /** Whose transactions wait for a nonce that does not move. */
  stuckSenders(): string[];
  gauges(): Record<string, { help: string; read: () => number }>;
  /** Counts since the start. */
  counters(): Record<string, { help: string; read: () => number }>;
  /** A record of one of its markets became durable. */
  follow(record: JournalRecord): void;
  start(): void;
}

/** Live chains give a block every second or two; the sandbox's comes when it is asked for. */
const POLL_MS = { sandbox: 50, live: 1_000 } as const;
/** While nothing moves; with a subscription a poll only finds out what it failed to say. */
const IDLE_MS = { sandbox: 500, live: 2_000 } as const;
const SUBSCRIBED_IDLE_MS = 5_000;
/** How often accounts and roles are looked at: nobody tops up faster than this. */
const WATCH_MS = { sandbox: 2_000, live: 15_000 } as const;

/** Closed part by part, by the shutdown. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { config, chain, clock, host, shutdown, log, onProblem, signal } = options;
  const { note } = host;
  const isActing = config.roles.includes('settler');
  const { commands } = host;
  const reads = new ChainReads(host.reads, chain.chainId);
  const nowMs = () => clock.nowMs();
  const nowSeconds = () => clock.nowSeconds();
  const isOrderKnown = (hash: OrderHash) => reads.order(hash) !== undefined;
  const pace = options.pace ?? config.profile;
  const pollMs = POLL_MS[pace];
  const warn = (message: string) => (error: unknown) => log.warn({ error: String(error) }, message);

  const rpc = openNodes(chain, options);
  shutdown.add('rpc', () => rpc.close());
  const woken: { wake(): void }[] = [];
  const onHead = () => {
    for (const each of woken) each.wake();
  };
  const { openHeads = (head) => new HeadSubscription(head) } = options;
  const heads = openHeads({ urls: chain.rpcUrls, onHead });
  shutdown.add('heads', () => heads.close());
  const idleMs = () => (heads.isLive ? SUBSCRIBED_IDLE_MS : IDLE_MS[pace]);
  const contracts = createContracts({ rpc, deployment: chain.contracts });
  const chainLog = new ChainLog(options.partition, nowMs);
  const { fold: history } = await options.keepState(options.partition, () => new ChainState({ isOrderKnown }));
  if (isActing && config.profile === 'live') {
    const { settlerKey: settler, relayerKey: relayer, creatorKey: creator } = chain;
    const keys = { settler, relayer, ...(creator && { creator }) };
    const waiting = { wasFit: history.identity !== undefined, onProblem, onUnfit: options.onFatal, signal };
    await requireFitChain({ settings: chain, rpc, keys, log }, waiting);
  }
  const identity = isActing
    ? (history.identity ?? (await learnChainIdentity({ chain, contracts, journal: chainLog, onProblem, signal })))
    : await awaitChainIdentity(history, signal);
  const common = { chain, rpc, contracts, reads, commands, note, nowMs, pollMs, idleMs };
  const fees = toSenderFees(chain, rpc);

  const settler = toSigningAccount(chain.settlerKey);
  const sender = new TransactionSender({
    rpc,
    chainId: chain.chainId,
    account: settler,
    pollMs,
    idleMs,
    ...fees,
    confirmations: chain.confirmations,
    journal: chainLog.sender,
    snapshot: history.settler,
    onAlarm: (alarm) => log.error({ alarm }, 'the transaction sender raised an alarm'),
  });
  shutdown.add('sender', () => sender.close());

  const wallets = openWallets({
    ...common,
    commands: isActing ? commands : LEAVES_CANCELS_TO_SETTLER,
    views: options.views,
    onTrouble: warn('wallets could not be read'),
  });
  shutdown.add('wallets', () => wallets.close());
  const relayer = openRelayer({
    ...common,
    fees,
    identity,
    chainLog,
    history,
    wallets,
    clock,
    isBudgeted: config.rateLimits,
    sponsoredBondsPerDay: toBondLimit(config, chain),
    isAutofunded: config.autofund,
    signers: options.signers,
    onAlarm: (alarm: SenderAlarm) => log.error({ alarm }, "the relayer's sender raised an alarm"),
    onTrouble: warn('a claim or a permit must wait'),
  });
  shutdown.add('relayer', () => relayer.close());
  wallets.connect(relayer);

  const sandbox = options.sandbox.openChain({ chain, rpc, contracts, shortfalls: wallets.shortfalls });
  const preparation = options.sandbox.toPreparation(sandbox);
  const settlement = openSettlement({
    ...common,
    settler: settler.address,
    sender,
    batches: chainLog.batches,
    formerBatches: history.batches,
    holds: relayer.permits,
    nowSeconds,
    graceSeconds: identity.settlementGraceSeconds,
    log,
    maxBatchesInFlight: chain.batchesInFlight,
    chainId: chain.chainId,
    transactionGasCap: chain.transactionGasCap,
    simulation: chain.simulation,
    ...(preparation && { preparation }),
  });
  shutdown.add('settlement', () => settlement.close());

  const onListed = () => indexer.wake();
  const windows = history.quick;
  const quick = openQuick(options, { rpc, contracts, sender, reads, chainLog, windows, onListed });
  shutdown.add('quick markets', () => quick?.close());
  const indexer = openIndexer({
    ...common,
    cursor: history.cursor,
    saveCursor: (cursor) => chainLog.saveCursor(cursor),
    halts: history.halts,
    noteHalt: (halt) => chainLog.noteHalt(halt),
    onTooDeep: options.onFatal,
    onTrouble: warn('the chain could not be followed'),
  });
  shutdown.add('indexer', () => indexer.close());
  const resolution = openResolution({
    chainId: chain.chainId,
    contracts,
    reads,
    sender: relayer.sender,
    nowSeconds,
    isKeeperOn: config.keeper,
    onTrouble: warn('the keeper could not settle a market'),
  });
  shutdown.add('resolution', () => resolution.close());

  const creatorSender = openCreator(options, { rpc, chainLog, history, pollMs, idleMs, fees });
  shutdown.add('creator', () => creatorSender?.sender.close());
  const senders: Senders = {
    settlement: sender,
    relayer: relayer.sender,
    ...(creatorSender && { creator: creatorSender.sender }),
  };
  const stuckSenders = () => Object.keys(senders).filter((name) => senders[name]?.stuckNonce !== null);
  const operating = openOperations({
    rpc,
    contracts,
    creator: creatorSender ?? (sandbox && toSandboxCreator(sandbox)),
    sender: relayer.sender,
    relayer: relayer.address,
    accounts: {
      settler: settler.address,
      relayer: relayer.address,
      ...(creatorSender && { creator: creatorSender.creator }),
    },
    settlement,
    unsettledTrades: () => reads.unsettledTrades(),
    stuckSenders,
    wake: onHead,
    nowMs,
    everyMs: WATCH_MS[pace],
    onAlarm: (alarm, isRaised) =>
      isRaised ? log.error({ alarm }, 'an alarm was raised') : log.info({ alarm }, 'an alarm is over'),
  });
  shutdown.add('operations', () => operating.close());
  const { operations } = operating;
  // On a node that is not the chain's settler: what wallets hold is read, and the windows are those of the journal.
  const startWatching = () => {
    woken.push(wallets);
    heads.start();
    wallets.start();
    quick?.watch();
    options.partition.subscribe(({ records }) => {
      for (const record of records) if (record.type === 'quick-market-changed') quick?.follow(record);
    });
  };
  return {
    config: chain,
    identity,
    partition: options.partition,
    reads,
    rpc,
    wallets,
    relayer,
    settlement,
    quick,
    indexer,
    halts: history.halts,
    anchors: { ledger: history.anchors, ...chainLog.anchors },
    sandbox,
    operations,
    readBond: (market) =>
      contracts
        .market(market)
        .read('bond', [])
        .catch(() => undefined),
    isQuiet: () => settlement.isQuiet && quick?.isQuiet !== false && relayer.isQuiet(),
    stuckSenders,
    gauges: () => ({
      ...settlement.gauges(),
      ...indexer.gauges(),
      ...toSenderGauges(senders),
      ...operations.gauges(),
    }),
    counters: () => operations.counters(),
    // The relayer before settlement: a permit holds its wallet's fills back.
    follow: (record) => {
      for (const module of isActing ? [resolution, relayer, wallets, settlement] : [wallets]) module.follow(record);
    },
    start: () => {
      if (!isActing) return startWatching();
      woken.push(sender, relayer.sender, wallets, indexer, ...(creatorSender ? [creatorSender.sender] : []));
      heads.start();
      const modules = [
        sender,
        relayer,
        settlement,
        wallets,
        indexer,
        quick,
        resolution,
        creatorSender?.sender,
        operating,
      ];
      for (const module of modules) module?.start();
    },
  };
}

/** The settler's node reads the same chain and cancels the orders that are no longer covered; the other nodes cancel none. */
const LEAVES_CANCELS_TO_SETTLER: OpenWalletsOptions['commands'] = { cancelUncovered: async () => undefined };

/** One client for all nodes of the chain; labels are hosts, since a URL may carry a key. */
type NodeOptions = Pick<OpenChainOptions, 'log' | 'openPost'>;

function openNodes({ chainId, rpcUrls }: ChainConfig, { log, openPost }: NodeOptions): FailoverRpc {
  const rpc = new FailoverRpc({
    chainId,
    nodes: rpcUrls.map((url) => ({ label: new URL(url).host, rpc: new JsonRpc({ url, post: openPost?.(url) }) })),
    onVerdict: (node, verdict) => log.warn({ node, verdict }, 'a node of the chain is judged anew'),
  });
  rpc.start();
  return rpc;
}

/** Bonds of others are sponsored freely in the sandbox, and elsewhere as far as the operator says. */
function toBondLimit({ profile }: Config, { sponsoredBondsPerDay }: ChainConfig): bigint | undefined {
  if (sponsoredBondsPerDay !== undefined) return BigInt(sponsoredBondsPerDay);
  return profile === 'sandbox' ? undefined : 0n;
}

type Senders = Readonly<Record<string, { readonly stuckNonce: number | null }>>;

function toSenderGauges(senders: Senders): Record<string, { help: string; read: () => number }> {
  const help = 'Whether a nonce does not move and all later transactions wait for it';
  const toGauge = ([name, sender]: [string, Senders[string]]) => {
    const read = () => Number(sender.stuckNonce !== null);
    return [`presage_${name}_nonce_stuck`, { help, read }] as const;
  };
  return Object.fromEntries(Object.entries(senders).map(toGauge));
}

interface CreatorParts extends Pick<TransactionSenderOptions, 'rpc' | 'pollMs' | 'idleMs'> {
  readonly chainLog: ChainLog;
  readonly history: ChainState;
  readonly fees: SenderFees;
}

/** The account that creates markets, where the chain has one of its own. */
function openCreator({ chain, log }: OpenChainOptions, { chainLog, history, fees, ...parts }: CreatorParts) {
  if (chain.creatorKey === undefined) return undefined;
  const account = toSigningAccount(chain.creatorKey);
  const sender = new TransactionSender({
    ...parts,
    ...fees,
    chainId: chain.chainId,
    account,
    confirmations: chain.confirmations,
    journal: chainLog.createSender,
    snapshot: history.creator,
    onAlarm: (alarm) => log.error({ alarm }, "the creator's sender raised an alarm"),
  });
  const send = (operationId: string, call: ContractCall) => sender.enqueue({ operationId, ...call });
  return { sender, creator: account.address, send };
}

/** Mined when it resolves, as everything that a sandbox does in its owner's name. */
function toSandboxCreator({ owner, node }: SandboxChain) {
  return { creator: owner, send: (_id: string, call: ContractCall) => node.sendAs([{ from: owner, ...call }]) };
}

interface QuickParts {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly sender: TransactionSender;
  readonly reads: ChainReads;
  readonly chainLog: ChainLog;
  readonly windows: ChainState['quick'];
  /** The indexer may have seen shares of it already. */
  readonly onListed: () => void;
}

function openQuick({ config, chain, host, prices, quickIds, clock, log }: OpenChainOptions, parts: QuickParts) {
  const { reads } = parts;
  return openQuickMarkets({
    rpc: parts.rpc,
    contracts: parts.contracts,
    sender: parts.sender,
    journal: parts.chainLog.quick,
    records: parts.windows.records(),
    lastId: parts.windows.lastId,
    place: { chainId: chain.chainId, ...chain.contracts },
    ids: quickIds,
    prices,
    clock,
    log,
    fromBlock: chain.fromBlock,
    assets: config.prices.pythUrl === undefined ? [] : config.prices.assets,
    listings: {
      isListed: (id) => reads.market(id) !== undefined,
      list: async (market) => {
        await host.commands.listMarket(market);
        parts.onListed();
      },
    },
  });
}
