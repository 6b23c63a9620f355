// This node among the others: what it owns, and the way to what others own.
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
  /** HTTP address of this node, which is also its name. */
  readonly address: string;
  readonly onWarning: (message: string) => void;
  /** Public half of the key that receipts are signed with, which is the same on all nodes. */
  readonly receiptKey: string;
  /** Set on a lane: says whose request it passes on. */
  readonly signForwarded?: HttpForwardOptions['sign'];
}

/** Asks the node that owns everything, once. */
type AskOnce = (method: string, body: object) => Promise<unknown>;

export interface ClusterParts {
  /** Undefined where the nodes share none: a service and its lanes. */
  readonly database: JournalDatabase | undefined;
  readonly closeDatabase: () => Promise<void>;
  readonly openFrames: (partition: string, ask: AskOnce) => FollowedSource;
  /** Set on a lane, whose service stays the owner while it cannot write. */
  readonly isOwnerWritable?: () => boolean;
  readonly owned: OwnedPartitions;
  /** Undefined where nobody calls this node. */
  readonly listener: LinkListener | undefined;
  readonly directory: NodeDirectory;
  readonly watched: Watched;
  readonly settings: ClusterSettings;
  readonly membership: Membership;
}

export type Watched = Set<{ readonly log: PartitionLog; readonly watcher: OwnerWatcher }>;

/** What this node currently is to the others. */
export interface Membership {
  roles: readonly string[];
  receiver?: HandOverReceiver;
}

/** A database that does not answer must not take the time in which partitions can be handed over. */
const RETIRE_MS = 1_000;
/** A lane that starts waits so long for its first connection; the owner is on the same machine. */
const READ_CONNECT_MS = 10_000;
/** Callers wait longer than a lease: while a partition changes hands, its next owner answers them. */
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

  /** Where lanes of this node call it. */
  get linkAddress(): string | undefined {
    return this.directory.nodes.find(({ address }) => address === this.#options.address)?.linkAddress;
  }

  readonly ask: AskOwner = (asked) => this.#calls.ask(asked);

  /** Engines own what is decided, settlers what is done on chains, gateways nothing. */
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

  /** Sends callers to the next owner; without one they look for it themselves. */
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

  /** Whether each partition that engines own has one; as long as callers are kept waiting for the next owner, the last one counts. */
  areEnginesHeard(): boolean {
    const nowMs = performance.now();
    const partitions = [...this.#parts.watched].map(({ log }) => log.partition).filter(isEngines);
    for (const partition of partitions) if (this.isHeard(partition)) this.#heardMs.set(partition, nowMs);
    const sinceMs = (partition: string) => nowMs - (this.#heardMs.get(partition) ?? Number.NEGATIVE_INFINITY);
    return partitions.every((partition) => sinceMs(partition) <= this.#patienceMs);
  }

  /** An engine that cannot write gives its partitions up; the service of a lane keeps them. */
  isOwnerWritable(): boolean {
    return this.#parts.isOwnerWritable?.() ?? true;
  }

  /** Whether a living node and this one refuse each other because their receipts have different keys. */
  hasOtherReceiptKey(): boolean {
    return this.directory.nodes.some((node) => this.#isRefused(node));
  }

  /** Whether most living nodes refuse this one because of its receipt key: what it took they would ask nobody for. */
  isOutvoted(): boolean {
    const { nodes } = this.directory;
    return nodes.filter((node) => this.#isRefused(node)).length > nodes.length / 2;
  }

  /** Other engines may hand partitions to this one. */
  receive(receiver: HandOverReceiver): void {
    this.#parts.membership.receiver = receiver;
  }

  /** This node counts as an engine no longer: nobody hands it anything. */
  async retire(): Promise<void> {
    const { membership } = this.#parts;
    membership.roles = membership.roles.map((role) => (role === 'engine' ? 'retiring' : role));
    delete membership.receiver;
    await withinTime(this.directory.announce(), RETIRE_MS, () => new Error('no answer')).catch(() => undefined);
  }

  /** The other engines, those that own least first. */
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
      // Answered by our own handler of that name.
      prepare: async (partition) => (await ask('prepare-partition', { partition })) as { owner: string },
      take: async (partition, handed) => void (await ask('take-partition', { partition, handed })),
    };
  }

  /** Passes requests on to the settler; undefined if this node is the settler. */
  get passOn(): HttpForward['passOn'] | undefined {
    return this.#options.config.roles.includes('settler') ? undefined : this.#forward.passOn;
  }

  /** How many nodes share the rate limits of callers: gateways do, while what they pass on is counted by the one settler. */
  readonly gatewayCount = (): number =>
    this.#options.config.roles.includes('gateway') ? this.directory.gatewayCount : 1;

  /** How many engines live, this one among them. */
  engineCount(): number {
    return this.directory.nodes.filter(({ roles }) => roles.includes('engine')).length;
  }

  /** Looks now whether nobody has it, unless it is known to be held still. */
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
