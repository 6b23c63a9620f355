// This node in the cluster: the partitions that it owns, and calls to the owners of the others.
import { type ClusterNode, FollowedJournal, type FollowedSource, type JournalDatabase } from '@presage/journal';
import { withinTime } from '@presage/runtime';
import type { ClusterSettings, Config } from '../config.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import type { FollowEvents, OtherNodes, OwnedPartition } from '../host/ports.ts';
import { FollowedPartition } from './followed-partition.ts';
import { HttpForward, type HttpForwardOptions } from './http-forward.ts';
import type { LinkListener } from './link-listener.ts';
import type { OwnedPartitions } from './owned-partitions.ts';
import { OwnerCalls } from './owner-calls.ts';
import type { HandOverReceiver, Successor } from './partition-seat.ts';
import type { AskOwner, EngineOwners, NextOwner, NodeDirectory, OwnerWatcher } from './ports.ts';

export interface ClusterOptions {
  readonly config: Pick<Config, 'leaseSeconds' | 'roles'>;
  /** HTTP address of this node, also its name. */
  readonly address: string;
  readonly onWarning: (message: string) => void;
  /** Public key of receipts, the same on all nodes. */
  readonly receiptKey: string;
  /** Set on a lane: creates the headers that tell the service whose request it passes on. */
  readonly signForwarded?: HttpForwardOptions['sign'];
}

/** Asks the owner of all partitions once, without retries. */
type AskOnce = (method: string, body: object) => Promise<unknown>;

export interface ClusterParts {
  /** Undefined if the nodes share no database: a service and its lanes. */
  readonly database: JournalDatabase | undefined;
  readonly closeDatabase: () => Promise<void>;
  readonly openFrames: (partition: string, ask: AskOnce) => FollowedSource;
  /** Set on a lane, whose service stays the owner even while it cannot write. */
  readonly isOwnerWritable?: () => boolean;
  readonly owned: OwnedPartitions;
  /** Undefined if no other node calls this one. */
  readonly listener: LinkListener | undefined;
  readonly directory: NodeDirectory;
  readonly watched: Watched;
  readonly settings: ClusterSettings;
  readonly membership: Membership;
}

export type Watched = Set<{ readonly log: PartitionLog; readonly watcher: OwnerWatcher }>;

/** Roles that this node announces, and its handler of handovers. */
export interface Membership {
  roles: readonly string[];
  receiver?: HandOverReceiver;
}

/** Limit on announcing retirement: a database that does not answer must not use up the time for handing partitions over. */
const RETIRE_MS = 1_000;
/** Longest wait of a starting lane for its first connection; the owner is on the same machine. */
const READ_CONNECT_MS = 10_000;
/** How much longer than a lease callers wait: while a partition changes hands, the next owner answers them. */
const PATIENCE_BEYOND_LEASE_MS = 5_000;

export class Cluster implements OtherNodes, EngineOwners {
  readonly directory: NodeDirectory;
  readonly #options: ClusterOptions;
  readonly #parts: ClusterParts;
  readonly #calls: OwnerCalls;
  /** When the owner of each partition was last connected. */
  readonly #heardMs = new Map<string, number>();
  readonly #patienceMs: number;
  readonly #forward: HttpForward;

  constructor(options: ClusterOptions, parts: ClusterParts) {
    const { directory, watched, settings } = parts;
    this.#options = options;
    this.#parts = parts;
    this.directory = directory;
    const { signForwarded: sign } = options;
    this.#forward = new HttpForward({ settler: () => directory.settler, ...(sign && { sign }) });
    this.#patienceMs = options.config.leaseSeconds * 1_000 + PATIENCE_BEYOND_LEASE_MS;
    this.#calls = new OwnerCalls({
      directory,
      secret: settings.secret,
      receiptKey: options.receiptKey,
      node: options.address,
      patienceMs: this.#patienceMs,
      onWarning: options.onWarning,
      followed: () => [...watched].map(({ log }) => log.partition),
      onHead: (partition, seq) => {
        for (const { log, watcher } of watched) if (log.partition === partition) watcher.onHead(seq);
      },
      onFrame: (frame) => {
        for (const { log, watcher } of watched) if (log.partition === frame.partition) watcher.onFrame(frame);
      },
    });
    directory.onLook(() => this.areEnginesHeard());
  }

  get database(): JournalDatabase {
    const { database } = this.#parts;
    if (database === undefined) throw new Error('these nodes share no database');
    return database;
  }

  /** Address that lanes of this node connect to. */
  get linkAddress(): string | undefined {
    return this.directory.nodes.find(({ address }) => address === this.#options.address)?.linkAddress;
  }

  readonly ask: AskOwner = (asked) => this.#calls.ask(asked);

  /** Engines own the market and control partitions, settlers those of chains, gateways none. */
  owns(partition: string): boolean {
    return this.#options.config.roles.includes(isEngines(partition) ? 'engine' : 'settler');
  }

  follow(partition: string, events: FollowEvents): Promise<FollowedPartition> {
    return FollowedPartition.open({ partition, owners: this, ...events });
  }

  openFollowed(partition: string): Promise<FollowedJournal> {
    const ask: AskOnce = async (method, body) => {
      const address = this.directory.ownerOf(partition)?.node.linkAddress ?? '';
      return this.#calls.askNode(address, method, body, READ_CONNECT_MS);
    };
    return FollowedJournal.open(this.#parts.openFrames(partition, ask));
  }

  serve(owned: OwnedPartition): void {
    this.#parts.owned.add(owned);
  }

  /** Blocks new calls; resolves when all earlier ones are answered. */
  hold(partition: string): Promise<void> {
    return this.#parts.owned.hold(partition);
  }

  /** Stops serving a partition and sends callers to the next owner; without one they look it up themselves. */
  giveUp(partition: string, next?: NextOwner): void {
    this.#parts.owned.remove(partition, next);
  }

  watch(log: PartitionLog, watcher: OwnerWatcher): () => void {
    const watching = { log, watcher };
    this.#parts.watched.add(watching);
    this.#calls.follow();
    return () => {
      if (this.#parts.watched.delete(watching)) this.#calls.follow();
    };
  }

  isHeard(partition: string): boolean {
    const owner = this.directory.ownerOf(partition);
    return owner !== undefined && this.#calls.isLinked(owner.node.linkAddress);
  }

  /** Whether the owner of every engine partition is connected, or was until recently: the last one counts for as long as callers wait for the next. */
  areEnginesHeard(): boolean {
    const nowMs = performance.now();
    const partitions = [...this.#parts.watched].map(({ log }) => log.partition).filter(isEngines);
    for (const partition of partitions) if (this.isHeard(partition)) this.#heardMs.set(partition, nowMs);
    const sinceMs = (partition: string) => nowMs - (this.#heardMs.get(partition) ?? Number.NEGATIVE_INFINITY);
    return partitions.every((partition) => sinceMs(partition) <= this.#patienceMs);
  }

  /** Whether the owner can write. Always true without lanes: an engine that cannot write gives its partitions up; the service of a lane keeps them. */
  isOwnerWritable(): boolean {
    return this.#parts.isOwnerWritable?.() ?? true;
  }

  /** Whether a living node and this one refuse each other because their receipts have different keys. */
  hasOtherReceiptKey(): boolean {
    return this.directory.nodes.some((node) => this.#isRefused(node));
  }

  /** Whether most living nodes refuse this one because of its receipt key: they would never call it for partitions that it took. */
  isOutvoted(): boolean {
    const { nodes } = this.directory;
    return nodes.filter((node) => this.#isRefused(node)).length > nodes.length / 2;
  }

  /** Lets other engines hand partitions to this one. */
  receive(receiver: HandOverReceiver): void {
    this.#parts.membership.receiver = receiver;
  }

  /** Stops announcing this node as an engine, so that nobody hands it partitions. */
  async retire(): Promise<void> {
    const { membership } = this.#parts;
    membership.roles = membership.roles.map((role) => (role === 'engine' ? 'retiring' : role));
    delete membership.receiver;
    await withinTime(this.directory.announce(), RETIRE_MS, () => new Error('no answer')).catch(() => undefined);
  }

  /** Other engines that accept this node, those with the fewest partitions first. */
  successors(): readonly Successor[] {
    const { directory } = this;
    const owns = (node: ClusterNode) =>
      directory.leases.filter(({ address, heldMs }) => heldMs > 0 && address === node.address).length;
    return directory.nodes
      .filter(({ address, roles }) => roles.includes('engine') && address !== this.#options.address)
      .filter((node) => !this.#isRefused(node))
      .toSorted((a, b) => owns(a) - owns(b))
      .map((node) => this.#toSuccessor(node));
  }

  #isRefused({ address, linkAddress }: ClusterNode): boolean {
    return this.#calls.hasOtherKey(linkAddress) || this.#parts.listener?.hasOtherKey(address) === true;
  }

  #toSuccessor({ address, linkAddress }: ClusterNode): Successor {
    const ask = (method: string, body: object) => this.#calls.askNode(linkAddress, method, body);
    return {
      address,
      linkAddress,
      // The handler of this name on the other node returns this type.
      prepare: async (partition) => (await ask('prepare-partition', { partition })) as { owner: string },
      take: async (partition, handed) => void (await ask('take-partition', { partition, handed })),
    };
  }

  /** Passes requests on to the settler; undefined if this node is the settler. */
  get passOn(): HttpForward['passOn'] | undefined {
    return this.#options.config.roles.includes('settler') ? undefined : this.#forward.passOn;
  }

  /** Number of nodes among which the rate limits of callers are shared: all gateways; 1 on a settler, which alone counts what gateways pass on. */
  readonly gatewayCount = (): number =>
    this.#options.config.roles.includes('gateway') ? this.directory.gatewayCount : 1;

  /** Number of living engines, including this one. */
  engineCount(): number {
    return this.directory.nodes.filter(({ roles }) => roles.includes('engine')).length;
  }

  /** Reads the leases now to see whether the partition is free, unless it is known to be held still. */
  async isFree(partition: string): Promise<boolean> {
    if (!this.directory.mayBeFree(partition)) return false;
    await this.directory.refresh();
    return !this.directory.isHeld(partition);
  }

  /** Stops waiting for partitions without an owner. */
  hurry(): void {
    this.#calls.hurry();
  }

  async close(): Promise<void> {
    this.#forward.close();
    this.#calls.close();
    await this.#parts.listener?.close();
    await this.directory.close();
    await this.#parts.closeDatabase();
  }
}

/** Settlers own the partitions of chains, engines all others. */
function isEngines(partition: string): boolean {
  return !partition.startsWith('chain-');
}
