// Opens one chain: its view on every node, and on the settler its actor.
import {
  type ContractCall,
  type Contracts,
  createContracts,
  FailoverRpc,
  JsonRpc,
  NodeReader,
  type Post,
  type Rpc,
} from '@presage/chain';
import type { ChainIdentity, JournalRecord, OrderHash } from '@presage/protocol';
import { Listeners, type Shutdown } from '@presage/runtime';
import type { Clock } from '../clock.ts';
import type { ChainConfig, Config } from '../config.ts';
import type { KeepState, OpenHost } from '../host/open.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import type { Log } from '../log/log.ts';
import type { AnchorJournal } from '../proof/anchors.ts';
import type { QuickIds } from '../quick/open.ts';
import { RelayState } from '../relayer/open.ts';
import type { SandboxChain } from '../sandbox/autofund.ts';
import type { Sandbox } from '../sandbox/open.ts';
import type { MarketStops } from '../settlement/stopped-returns.ts';
import { ChainActor, type ServedChain } from './chain-actor.ts';
import { requireFitChain } from './chain-checks.ts';
import { type ChainContext, toContractAddresses } from './chain-context.ts';
import { awaitChainIdentity, learnChainIdentity } from './chain-identity.ts';
import { ChainLog } from './chain-log.ts';
import type { OnChainProblem } from './chain-problem.ts';
import { ChainReads } from './chain-reads.ts';
import { ChainState } from './chain-state.ts';
import { ChainView, type ChainViewOptions } from './chain-view.ts';
import { HeadSubscription, type HeadSubscriptionOptions } from './head-subscription.ts';
import { Senders } from './senders.ts';

export interface OpenChainOptions extends Pick<ChainViewOptions, 'views' | 'prices' | 'signers'> {
  readonly config: Config;
  readonly chain: ChainConfig;
  /** The chain's own partition of the journal. */
  readonly partition: PartitionLog;
  readonly keepState: KeepState;
  readonly host: OpenHost;
  readonly quickIds: QuickIds;
  /** Stops that operators have set; undefined if the service has no operators. */
  readonly stops?: MarketStops | undefined;
  readonly sandbox: Sandbox;
  readonly clock: Clock;
  /** Closes this chain alone. */
  readonly shutdown: Shutdown;
  /** Aborted on shutdown; ends the wait for the chain's first answer. */
  readonly signal: AbortSignal;
  /** Called at every failed attempt to open the chain. */
  readonly onProblem: OnChainProblem;
  readonly log: Log;
  /** A reorganization went deeper than can be undone: the process must end. */
  readonly onFatal: (error: unknown) => void;
  /** Replaces the WebSocket that announces new blocks, for the simulator. */
  readonly openHeads?: (options: HeadSubscriptionOptions) => Heads;
  /** Replaces HTTP for the questions to a node, for the simulator. */
  readonly openPost?: (url: string) => Post;
  /** Replaces the profile's pace of polling: the simulator has a chain as slow as a live one. */
  readonly pace?: Config['profile'];
}

type Heads = Pick<HeadSubscription, 'isLive' | 'start' | 'close'>;

/** Live chains produce a block every second or two; the sandbox mines on demand. */
const POLL_MS = { sandbox: 50, live: 1_000 } as const;
/** Polling interval while nothing is pending. With a subscription, a poll only finds blocks that it failed to announce. */
const IDLE_MS = { sandbox: 500, live: 2_000 } as const;
const SUBSCRIBED_IDLE_MS = 5_000;
/** Interval between checks of accounts and roles: nobody tops up faster. */
const WATCH_MS = { sandbox: 2_000, live: 15_000 } as const;

interface ChainParts {
  readonly context: ChainContext;
  readonly chainLog: ChainLog;
  readonly history: ChainState;
  readonly heads: Heads;
  /** Undefined on a node that is not the chain's settler. */
  readonly senders: Senders | undefined;
}

export class Chain extends ChainView implements ServedChain {
  readonly actor: ChainActor | undefined;
  readonly partition: PartitionLog;
  readonly anchors: AnchorJournal;
  /** Undefined if the chain's contracts belong to others, and on nodes that are not its settler. */
  readonly sandbox: SandboxChain | undefined;
  readonly #heads: Heads;

  constructor(options: OpenChainOptions, { context, chainLog, history, heads, senders }: ChainParts) {
    const { config, pace = config.profile, sandbox, shutdown } = options;
    const relays = openRelayState(context, config, history, senders);
    super(context, { ...options, history, relays });
    this.partition = options.partition;
    this.anchors = { ledger: history.anchors, ...chainLog.anchors };
    this.#heads = heads;
    if (senders === undefined) return;
    const { rpc, contracts, chain } = context;
    this.sandbox = sandbox.openChain({ chain, rpc, contracts, shortfalls: this.wallets.shortfalls });
    const preparation = sandbox.toPreparation(this.sandbox);
    const owner = this.sandbox && toSandboxCreator(this.sandbox);
    const acting = { history, relays, senders, chainLog, preparation, owner, shutdown, watchMs: WATCH_MS[pace] };
    this.actor = new ChainActor(context, { ...options, ...acting, view: this });
  }

  /** Whether nothing is pending on the chain. */
  get isQuiet(): boolean {
    return this.actor?.isQuiet !== false;
  }

  /** Calls the actor before the view, so that an order's permit is known before the wallet's cover is judged. */
  override follow(record: JournalRecord): void {
    this.actor?.follow(record);
    super.follow(record);
  }

  override start(): void {
    this.#heads.start();
    this.actor?.start();
    super.start();
  }

  override wake(): void {
    this.actor?.wake();
    super.wake();
  }
}

/** `shutdown` closes the chain part by part. */
export async function openChain(options: OpenChainOptions): Promise<Chain> {
  const { config, chain, clock, host, shutdown, log, pace = config.profile } = options;
  const rpc = openNodes(options);
  shutdown.add('rpc', () => rpc.close());
  const announced = new Listeners();
  const { openHeads = (head) => new HeadSubscription(head) } = options;
  const heads = openHeads({ urls: chain.rpcUrls, onHead: () => announced.call() });
  shutdown.add('heads', () => heads.close());
  const reads = new ChainReads(host.reads, chain.chainId);
  const contracts = createContracts({ rpc, deployment: chain.contracts });
  const chainLog = new ChainLog(options.partition, () => clock.nowMs());
  const isOrderKnown = (hash: OrderHash) => reads.order(hash) !== undefined;
  const { fold: history } = await options.keepState(options.partition, () => new ChainState(isOrderKnown));
  const pollMs = POLL_MS[pace];
  const idleMs = () => (heads.isLive ? SUBSCRIBED_IDLE_MS : IDLE_MS[pace]);
  const identity = await findIdentity(options, { rpc, contracts, chainLog, history });
  const { commands, note } = host;
  const addresses = toContractAddresses(chain.contracts);
  const access = { rpc, node: new NodeReader(rpc, history.seenBlocks), contracts };
  const context = { chain, addresses, identity, ...access, reads, commands, note, clock, log, pollMs, idleMs };
  const keys = config.roles.includes('settler') ? chain.keys : undefined;
  const senders = keys && new Senders(context, keys, chainLog, history);
  const opened = new Chain(options, { context, chainLog, history, heads, senders });
  announced.add(() => opened.wake());
  return opened;
}

interface IdentityParts {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly chainLog: ChainLog;
  readonly history: ChainState;
}

/** The settler checks a live chain and reads its contracts; other nodes wait for the result in the journal. */
async function findIdentity(options: OpenChainOptions, parts: IdentityParts): Promise<ChainIdentity> {
  const { config, chain, log, onProblem, onFatal: onUnfit, signal } = options;
  const { rpc, contracts, chainLog: journal, history } = parts;
  if (!config.roles.includes('settler')) return awaitChainIdentity(history, signal);
  if (config.profile === 'live' && chain.keys !== undefined) {
    const waiting = { wasFit: history.identity !== undefined, onProblem, onUnfit, signal };
    await requireFitChain({ settings: chain, rpc, keys: chain.keys, log }, waiting);
  }
  return history.identity ?? learnChainIdentity({ chain, contracts, journal, onProblem, signal });
}

function openRelayState(context: ChainContext, config: Config, history: ChainState, senders: Senders | undefined) {
  const { profile, rateLimits: isBudgeted, autofund: isAutofunded } = config;
  const { sponsoredBondsPerDay: perDay } = context.chain;
  // Default: the sandbox puts up proposers' bonds without a limit, a live chain puts up none.
  const unsaid = profile === 'sandbox' ? undefined : 0n;
  return new RelayState(context, {
    records: history.relays,
    statusOf: (operationId) => senders?.relayer.sender.status(operationId),
    isBudgeted,
    isAutofunded,
    sponsoredBondsPerDay: perDay === undefined ? unsaid : BigInt(perDay),
  });
}

/** One client for all nodes of the chain; labels are hosts, since a URL may carry a key. */
function openNodes({ chain, log, openPost }: OpenChainOptions): FailoverRpc {
  const { chainId, rpcUrls } = chain;
  const rpc = new FailoverRpc({
    chainId,
    nodes: rpcUrls.map((url) => ({ label: new URL(url).host, rpc: new JsonRpc({ url, post: openPost?.(url) }) })),
    onVerdict: (node, verdict) => log.warn({ node, verdict }, 'verdict on a node of the chain changed'),
  });
  rpc.start();
  return rpc;
}

/** Resolves when the transaction is mined, like every transaction that a sandbox sends as the owner. */
function toSandboxCreator({ owner, node }: SandboxChain) {
  return { creator: owner, send: (_id: string, call: ContractCall) => node.create({ from: owner, ...call }) };
}
