// The entrance of the cluster: this node among the others, what it owns, and the way to what others own.
import type { ClusterNode, HandedOver, JournalDatabase } from '@presage/journal';
import type { ClusterSettings, Config } from '../config.ts';
import type { HandOverReceiver } from '../host/engine-seats.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import type { Successor } from '../host/partition-seat.ts';
import type { AskOwner, NextOwner, OtherOwners, OwnedPartition } from '../host/ports.ts';
import type { OpenJournalDatabase } from '../store/journal-database.ts';
import { Directory } from './directory.ts';
import { HttpForward } from './http-forward.ts';
import { type LinkHandler, LinkListener } from './link-listener.ts';
import { OwnedPartitions } from './owned-partitions.ts';
import { OwnerCalls } from './owner-calls.ts';

export interface OpenClusterOptions {
  readonly config: Pick<Config, 'leaseSeconds' | 'roles' | 'cluster' | 'journalUrl'>;
  /** Where this node answers HTTP: its name. */
  readonly address: string;
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
  readonly onWarning: (message: string) => void;
}

interface ClusterParts {
  readonly database: JournalDatabase;
  readonly closeDatabase: () => Promise<void>;
  readonly owned: OwnedPartitions;
  readonly listener: LinkListener;
  readonly directory: Directory;
  readonly watched: Watched;
  readonly settings: ClusterSettings;
  readonly standing: Standing;
}

type Watched = Set<{ readonly log: PartitionLog; readonly onHead: (seq: number) => void }>;

/** What this node is to the others, which changes. */
interface Standing {
  roles: readonly string[];
  receiver?: HandOverReceiver;
}

/** Longer than a lease: whoever asks while a partition changes hands is answered by its next owner. */
const PATIENCE_BEYOND_LEASE_MS = 5_000;

export class Cluster implements OtherOwners {
  readonly database: JournalDatabase;
  readonly directory: Directory;
  readonly #options: OpenClusterOptions;
  readonly #owned: OwnedPartitions;
  readonly #listener: LinkListener;
  readonly #calls: OwnerCalls;
  readonly #watched: Watched;
  readonly #standing: Standing;
  readonly #closeDatabase: () => Promise<void>;
  /** When the owner of each partition was heard of last. */
  readonly #heardMs = new Map<string, number>();
  readonly #patienceMs: number;
  readonly #forward = new HttpForward({ settler: () => this.#settler() });

  constructor(options: OpenClusterOptions, parts: ClusterParts) {
    const { database, owned, directory, listener, watched, settings } = parts;
    this.#options = options;
    this.database = database;
    this.directory = directory;
    this.#owned = owned;
    this.#listener = listener;
    this.#watched = watched;
    this.#standing = parts.standing;
    this.#closeDatabase = parts.closeDatabase;
    this.#patienceMs = options.config.leaseSeconds * 1_000 + PATIENCE_BEYOND_LEASE_MS;
    this.#calls = new OwnerCalls({
      directory,
      secret: settings.secret,
      node: options.address,
      patienceMs: this.#patienceMs,
      onHead: (partition, seq) => {
        for (const { log, onHead } of watched) if (log.partition === partition) onHead(seq);
      },
    });
    directory.onLook(() => this.areEnginesHeard());
  }

  readonly ask: AskOwner = (asked) => this.#calls.ask(asked);

  /** Engines own what is decided, settlers what is done on chains, gateways nothing. */
  owns(partition: string): boolean {
    return this.#options.config.roles.includes(isEngines(partition) ? 'engine' : 'settler');
  }

  serve(owned: OwnedPartition): void {
    this.#owned.add(owned);
  }

  hold(partition: string): Promise<void> {
    return this.#owned.hold(partition);
  }

  /** Commands that come from now on are sent elsewhere. */
  giveUp(partition: string, next?: NextOwner): void {
    this.#owned.remove(partition, next);
  }

  watch(log: PartitionLog, onHead: (seq: number) => void): () => void {
    const watching = { log, onHead };
    this.#watched.add(watching);
    return () => void this.#watched.delete(watching);
  }

  isHeard(partition: string): boolean {
    const owner = this.ownerOf(partition);
    return owner !== undefined && this.#calls.isLinked(owner.linkAddress);
  }

  /** Whether each partition that engines own has one; as long as callers are kept waiting for the next owner, the last one counts. */
  areEnginesHeard(): boolean {
    const nowMs = performance.now();
    const partitions = [...this.#watched].map(({ log }) => log.partition).filter(isEngines);
    for (const partition of partitions) if (this.isHeard(partition)) this.#heardMs.set(partition, nowMs);
    const sinceMs = (partition: string) => nowMs - (this.#heardMs.get(partition) ?? Number.NEGATIVE_INFINITY);
    return partitions.every((partition) => sinceMs(partition) <= this.#patienceMs);
  }

  receive(receiver: HandOverReceiver): void {
    this.#standing.receiver = receiver;
  }

  async retire(): Promise<void> {
    this.#standing.roles = this.#standing.roles.map((role) => (role === 'engine' ? 'retiring' : role));
    delete this.#standing.receiver;
    await this.directory.announce().catch(() => undefined);
  }

  successors(): readonly Successor[] {
    const { directory } = this;
    const owns = (node: ClusterNode) =>
      directory.leases.filter(({ address, heldMs }) => heldMs > 0 && address === node.address).length;
    return directory.nodes
      .filter(({ address, roles }) => roles.includes('engine') && address !== this.#options.address)
      .toSorted((a, b) => owns(a) - owns(b))
      .map((node) => this.#toSuccessor(node));
  }

  #toSuccessor({ address, linkAddress }: ClusterNode): Successor {
    const ask = (method: string, body: object) => this.#calls.askNode(linkAddress, method, body);
    return {
      address,
      linkAddress,
      prepare: async (partition) => (await ask('prepare-partition', { partition })) as { owner: string },
      take: async (partition, handed) => void (await ask('take-partition', { partition, handed })),
    };
  }

  /** To the settler; undefined where that is this node. */
  get passOn(): HttpForward['passOn'] | undefined {
    return this.#options.config.roles.includes('settler') ? undefined : this.#forward.passOn;
  }

  readonly gatewayCount = (): number => {
    const gateways = this.directory.nodes.filter(({ roles }) => roles.includes('gateway'));
    return Math.max(1, gateways.length);
  };

  engineCount(): number {
    return this.directory.nodes.filter(({ roles }) => roles.includes('engine')).length;
  }

  async isFree(partition: string): Promise<boolean> {
    if (!this.directory.mayBeFree(partition)) return false;
    await this.directory.refresh();
    return !this.directory.isHeld(partition);
  }

  /** The node that has it, where one has. */
  ownerOf(partition: string): ClusterNode | undefined {
    return this.directory.ownerOf(partition)?.node;
  }

  #settler(): string | undefined {
    const lease = this.directory.leases.find(({ partition, heldMs }) => heldMs > 0 && partition.startsWith('chain-'));
    return lease && this.directory.ownerOf(lease.partition)?.node.address;
  }

  /** Whatever has no owner is not waited for any more. */
  hurry(): void {
    this.#calls.hurry();
  }

  async close(): Promise<void> {
    this.#forward.close();
    this.#calls.close();
    await this.#listener.close();
    await this.directory.close();
    await this.#closeDatabase();
  }
}

/** Chains are the settlers'. */
function isEngines(partition: string): boolean {
  return !partition.startsWith('chain-');
}

/** Undefined where the node stands alone. */
export async function openCluster(options: OpenClusterOptions): Promise<Cluster | undefined> {
  const { config, address, openDatabase } = options;
  const { cluster: settings, journalUrl } = config;
  if (settings === undefined || journalUrl === undefined) return undefined;
  const { database, warnings, close: closeDatabase } = await openDatabase(journalUrl);
  for (const warning of warnings) options.onWarning(warning);
  const owned = new OwnedPartitions();
  const standing: Standing = { roles: config.roles };
  const handlers = new Map([...owned.handlers(), ...handOverHandlers(standing)]);
  const listener = new LinkListener({ secret: settings.secret, handlers });
  const watched: Watched = new Set();
  const positions = () => {
    const followed = [...watched].map(({ log }) => [log.partition, log.lastSeq]);
    return { ...Object.fromEntries(followed), ...owned.positions() };
  };
  try {
    const linkAddress = `${settings.host}:${await listener.listen(settings.port, settings.host)}`;
    const self = () => ({ address, linkAddress, roles: standing.roles, positions: positions() });
    const directory = await Directory.open({ database, self, leaseMs: config.leaseSeconds * 1_000 });
    return new Cluster(options, { database, closeDatabase, owned, listener, directory, watched, settings, standing });
  } catch (error) {
    await listener.close();
    await closeDatabase();
    throw error;
  }
}

/** What an engine asks that hands a partition to this one. */
function handOverHandlers(standing: Standing): ReadonlyMap<string, LinkHandler> {
  const receiver = () => {
    if (standing.receiver === undefined) throw new Error('this node takes no partitions');
    return standing.receiver;
  };
  return new Map<string, LinkHandler>([
    ['prepare-partition', (body) => receiver().prepare((body as HandOverCall).partition)],
    ['take-partition', (body) => receiver().take((body as TakeCall).partition, (body as TakeCall).handed)],
  ]);
}

interface HandOverCall {
  readonly partition: string;
}

interface TakeCall extends HandOverCall {
  readonly handed: HandedOver;
}
