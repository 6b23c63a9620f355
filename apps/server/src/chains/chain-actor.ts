// The acting side of a chain, on its settler only: settles, relays, indexes, runs quick markets and ends undecided markets, with keys of its own.
import { type ContractCall, sendOnce } from '@presage/chain';
import { type JournalRecord, LIMITS } from '@presage/protocol';
import type { Shutdown } from '@presage/runtime';
import type { Config } from '../config.ts';
import { Indexer } from '../indexer/indexer.ts';
import { ChainOperations, type ChainOperationsOptions } from '../operator/open.ts';
import { openWindows, type QuickIds } from '../quick/open.ts';
import type { WindowScheduler } from '../quick/window-scheduler.ts';
import { type OpenRelayer, openRelayer } from '../relayer/open.ts';
import type { HasFollowed } from '../relayer/ports.ts';
import { Keeper } from '../resolution/keeper.ts';
import type { WalletPreparation } from '../settlement/ports.ts';
import { Settlement } from '../settlement/settlement.ts';
import type { MarketStops } from '../settlement/stopped-returns.ts';
import type { PositionSync } from '../wallets/position-sync.ts';
import type { ChainContext } from './chain-context.ts';
import type { ChainLog } from './chain-log.ts';
import type { ChainView, ChainViewOptions } from './chain-view.ts';
import type { Senders, SendingAccount } from './senders.ts';

export interface ChainActorOptions extends Pick<ChainViewOptions, 'history' | 'prices' | 'relays' | 'signers'> {
  readonly config: Pick<Config, 'keeper' | 'prices' | 'fees'>;
  readonly view: ChainView;
  readonly senders: Senders;
  readonly chainLog: ChainLog;
  /** Stops that operators have set; undefined if the service has no operators. */
  readonly stops?: MarketStops | undefined;
  readonly quickIds: QuickIds;
  /** Tops up wallets before settlement; only in a sandbox with autofund. */
  readonly preparation: WalletPreparation | undefined;
  /** Creates markets if the chain has no creator account. */
  readonly owner: ChainOperationsOptions['creator'];
  /** Interval between checks of accounts and roles. */
  readonly watchMs: number;
  readonly shutdown: Shutdown;
  /** A reorganization went deeper than can be undone: the process must end. */
  readonly onFatal: (error: unknown) => void;
}

type Gauges = Record<string, { help: string; read: () => number }>;

export class ChainActor {
  readonly relayer: OpenRelayer;
  readonly settlement: Settlement;
  readonly indexer: Indexer;
  /** For the API: reads a position from the chain at once. */
  readonly positions: PositionSync;
  /** Actions that operators can take on this chain. */
  readonly operations: ChainOperations;
  readonly #options: ChainActorOptions;
  readonly #windows: WindowScheduler | undefined;
  readonly #keeper: Keeper | undefined;

  constructor(context: ChainContext, options: ChainActorOptions) {
    const { config, senders, shutdown } = options;
    this.#options = options;
    shutdown.add('sender', () => senders.settler.sender.close());
    this.relayer = openActingRelayer(context, options, (block) =>
      this.indexer.hasFollowed(block, LIMITS.readYourWritesMs),
    );
    shutdown.add('relayer', () => this.relayer.close());
    this.settlement = openActingSettlement(context, options);
    shutdown.add('settlement', () => this.settlement.close());
    const { history, chainLog: journal, onFatal: onTooDeep } = options;
    const { cursor, halts, pauses } = history;
    const onResumed = () => this.settlement.retry();
    const onDeepReorg = (depth: number) => {
      context.log.error({ depth }, 'deep reorganization: confirmed blocks left the chain');
      senders.recent.raise('deep_reorg');
    };
    this.indexer = new Indexer(context, { cursor, halts, pauses, journal, onResumed, onTooDeep, onDeepReorg });
    shutdown.add('indexer', () => this.indexer.close());
    this.positions = options.view.wallets.openPositions(this.indexer);
    this.#windows = openActingWindows(context, options, this.indexer);
    shutdown.add('windows', () => this.#windows?.close());
    this.#keeper = config.keeper ? new Keeper(context, senders.relayer.sender) : undefined;
    shutdown.add('keeper', () => this.#keeper?.close());
    shutdown.add('creator', () => senders.creator?.sender.close());
    this.operations = openActingOperations(context, options, this);
    shutdown.add('operations', () => this.operations.watch.close());
  }

  /** Whether nothing is pending on the chain. */
  get isQuiet(): boolean {
    return this.settlement.isQuiet && this.#windows?.isQuiet !== false && this.#options.relays.isQuiet;
  }

  /** Names of the senders whose transactions wait for a nonce that does not move. */
  stuckSenders(): string[] {
    return this.#options.senders.stuck();
  }

  gauges(): Gauges {
    const { senders } = this.#options;
    return {
      ...this.settlement.gauges(),
      ...this.indexer.gauges(),
      ...senders.gauges(),
      ...this.operations.gauges(),
    };
  }

  /** Counts since the start. */
  counters(): Gauges {
    return this.operations.counters();
  }

  /** A record of one of its markets became durable. The relayer is told before settlement: a permit holds its wallet's fills back. */
  follow(record: JournalRecord): void {
    this.#keeper?.follow(record);
    this.relayer.follow(record);
    this.settlement.follow(record);
    this.indexer.follow(record);
  }

  start(): void {
    const { senders } = this.#options;
    senders.settler.sender.start();
    this.relayer.start();
    this.settlement.start();
    this.indexer.start();
    this.#windows?.start();
    this.#keeper?.start();
    senders.creator?.sender.start();
    this.operations.watch.start();
  }

  /** The chain has a new head. */
  wake(): void {
    this.#options.senders.wake();
    this.indexer.wake();
  }
}

/** A chain as the rest of the service sees it. */
export interface ServedChain extends ChainView {
  /** Undefined on a node that is not the chain's settler. */
  readonly actor: ChainActor | undefined;
}

function openActingRelayer(context: ChainContext, options: ChainActorOptions, hasFollowed: HasFollowed): OpenRelayer {
  const { view, senders, relays: state, chainLog, history, signers } = options;
  const { wallets, permits: judge } = view;
  const { account, sender } = senders.relayer;
  const journal = chainLog.relays;
  return openRelayer(context, { state, wallets, judge, account, sender, journal, history, signers, hasFollowed });
}

function openActingSettlement(context: ChainContext, options: ChainActorOptions): Settlement {
  const { senders, chainLog, history, relays, preparation, stops } = options;
  const { account, sender } = senders.settler;
  return new Settlement(context, {
    settler: account.address,
    sender,
    journal: chainLog,
    previousBatches: history.batches,
    deceptive: history.deceptive,
    pauses: history.pauses,
    holds: relays.permits,
    stops,
    preparation,
    isGone: (marketId) => history.quick.isGone(marketId),
    onRevived: () => senders.recent.raise('trade_revived'),
  });
}

function openActingWindows(context: ChainContext, options: ChainActorOptions, indexer: Indexer) {
  const { config, history, prices, senders, chainLog, quickIds } = options;
  return openWindows(context, {
    config: config.prices,
    fees: config.fees.quick,
    ledger: history.quick,
    prices,
    sender: senders.settler.sender,
    journal: chainLog.quick,
    ids: quickIds,
    // The indexer may have seen shares of the market already.
    onListed: () => indexer.wake(),
  });
}

function openActingOperations(context: ChainContext, options: ChainActorOptions, actor: ChainActor) {
  const { rpc, contracts, reads, clock, log } = context;
  const { view, senders, owner, watchMs } = options;
  const { settler, relayer, creator } = senders;
  return new ChainOperations({
    rpc,
    contracts,
    creator: creator ? toCreator(creator) : owner,
    sender: relayer.sender,
    relayer: relayer.account.address,
    accounts: {
      settler: settler.account.address,
      relayer: relayer.account.address,
      ...(creator && { creator: creator.account.address }),
    },
    nextNonce: (account) => senders.find(account)?.sender.nextNonce ?? null,
    recent: senders.recent,
    settlement: actor.settlement,
    unsettledTrades: () => reads.unsettledBriefs(),
    stuckSenders: () => senders.stuck(),
    wake: () => {
      actor.wake();
      view.wake();
    },
    nowMs: () => clock.nowMs(),
    everyMs: watchMs,
    onAlarm: (alarm, isRaised) =>
      isRaised ? log.error({ alarm }, 'alarm raised') : log.info({ alarm }, 'alarm cleared'),
  });
}

function toCreator({ account, sender }: SendingAccount): ChainOperationsOptions['creator'] {
  const send = (operationId: string, call: ContractCall) => {
    const nameOf = (attempt: number) => (attempt === 1 ? operationId : `${operationId}-${attempt}`);
    return sendOnce(sender, { ...call, nameOf });
  };
  return { creator: account.address, send };
}
