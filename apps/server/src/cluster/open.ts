// The entrance of the cluster: this node among the others, what it owns, and the way to what others own.
import type { ClusterNode, JournalDatabase } from '@presage/journal';
import type { ClusterSettings, Config } from '../config.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import type { AskOwner, OtherOwners, OwnedPartition } from '../host/ports.ts';
import type { OpenJournalDatabase } from '../store/journal-database.ts';
import { Directory } from './directory.ts';
import { type Diversion, HttpForward } from './http-forward.ts';
import { LinkListener } from './link-listener.ts';
import { OwnedPartitions } from './owned-partitions.ts';
import { OwnerCalls } from './owner-calls.ts';

export interface OpenClusterOptions {
  readonly config: Pick<Config, 'leaseSeconds' | 'roles' | 'cluster' | 'journalUrl'>;
  /** Where this node answers HTTP: its name. */
  readonly address: string;
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
  readonly onWarning: (message: string) => void;
  /** What only a settler can answer is passed on from here, once there are routes at all. */
  readonly listeners: readonly (DivertingListener | undefined)[];
}

interface DivertingListener {
  divert(diversion: Diversion): void;
}

interface ClusterParts {
  readonly database: JournalDatabase;
  readonly closeDatabase: () => Promise<void>;
  readonly owned: OwnedPartitions;
  readonly listener: LinkListener;
  readonly directory: Directory;
  readonly watched: Watched;
  readonly settings: ClusterSettings;
}

type Watched = Map<string, { readonly log: PartitionLog; readonly onHead: (seq: number) => void }>;

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
  readonly #closeDatabase: () => Promise<void>;
  readonly #forward = new HttpForward({ settler: () => this.#settler() });

  constructor(options: OpenClusterOptions, parts: ClusterParts) {
    const { database, owned, directory, listener, watched, settings } = parts;
    this.#options = options;
    this.database = database;
    this.directory = directory;
    this.#owned = owned;
    this.#listener = listener;
    this.#watched = watched;
    this.#closeDatabase = parts.closeDatabase;
    this.#calls = new OwnerCalls({
      directory,
      secret: settings.secret,
      node: options.address,
      patienceMs: options.config.leaseSeconds * 1_000 + PATIENCE_BEYOND_LEASE_MS,
      onHead: (partition, seq) => watched.get(partition)?.onHead(seq),
    });
    this.#divert();
  }

  readonly ask: AskOwner = (asked) => this.#calls.ask(asked);

  /** Engines own what is decided, settlers what is done on chains, gateways nothing. */
  owns(partition: string): boolean {
    return this.#options.config.roles.includes(partition.startsWith('chain-') ? 'settler' : 'engine');
  }

  serve(owned: OwnedPartition): void {
    this.#owned.add(owned);
  }

  /** Commands that come from now on are sent elsewhere. */
  giveUp(partition: string): void {
    this.#owned.remove(partition);
  }

  watch(log: PartitionLog, onHead: (seq: number) => void): void {
    this.#watched.set(log.partition, { log, onHead });
  }

  readonly gatewayCount = (): number => {
    const gateways = this.directory.nodes.filter(({ roles }) => roles.includes('gateway'));
    return Math.max(1, gateways.length);
  };

  engineCount(): number {
    return this.directory.nodes.filter(({ roles }) => roles.includes('engine')).length;
  }

  async isFree(partition: string): Promise<boolean> {
    await this.directory.refresh();
    return !this.directory.isHeld(partition);
  }

  /** The node that has it, where one has. */
  ownerOf(partition: string): ClusterNode | undefined {
    return this.directory.ownerOf(partition)?.node;
  }

  #divert(): void {
    const { config, listeners } = this.#options;
    if (config.roles.includes('settler')) return;
    for (const listener of listeners) listener?.divert(this.#forward.divert);
  }

  #settler(): string | undefined {
    const lease = this.directory.leases.find(({ partition, isHeld }) => isHeld && partition.startsWith('chain-'));
    return lease && this.directory.ownerOf(lease.partition)?.node.address;
  }

  async close(): Promise<void> {
    this.#forward.close();
    this.#calls.close();
    await this.#listener.close();
    await this.directory.close();
    await this.#closeDatabase();
  }
}

/** Undefined where the node stands alone. */
export async function openCluster(options: OpenClusterOptions): Promise<Cluster | undefined> {
  const { config, address, openDatabase } = options;
  const { cluster: settings, journalUrl } = config;
  if (settings === undefined || journalUrl === undefined) return undefined;
  const { database, warnings, close: closeDatabase } = await openDatabase(journalUrl);
  for (const warning of warnings) options.onWarning(warning);
  const owned = new OwnedPartitions();
  const listener = new LinkListener({ secret: settings.secret, handlers: owned.handlers() });
  const watched: Watched = new Map();
  const positions = () => {
    const followed = [...watched].map(([partition, { log }]) => [partition, log.lastSeq]);
    return { ...Object.fromEntries(followed), ...owned.positions() };
  };
  try {
    const linkAddress = `${settings.host}:${await listener.listen(settings.port, settings.host)}`;
    const self = () => ({ address, linkAddress, roles: config.roles, positions: positions() });
    const directory = await Directory.open({ database, self, leaseMs: config.leaseSeconds * 1_000 });
    return new Cluster(options, { database, closeDatabase, owned, listener, directory, watched, settings });
  } catch (error) {
    await listener.close();
    await closeDatabase();
    throw error;
  }
}
