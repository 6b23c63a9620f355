// The entrance of the cluster: this node among the others, what it owns, and the way to what others own.
import type { JournalDatabase } from '@presage/journal';
import type { ClusterSettings, Config, Role } from '../config.ts';
import type { PartitionLog } from '../host/partition-log.ts';
import { Directory } from './directory.ts';
import { FollowedPartition } from './followed-partition.ts';
import { LinkListener } from './link-listener.ts';
import { type OwnedPartition, OwnedPartitions } from './owned-partitions.ts';
import { OwnerCalls } from './owner-calls.ts';
import { RemoteHost, type RemoteHostOptions } from './remote-host.ts';

export interface OpenClusterOptions {
  readonly config: Pick<Config, 'leaseSeconds' | 'roles'> & { readonly cluster: ClusterSettings };
  readonly database: JournalDatabase;
  /** Where this node answers HTTP: its name. */
  readonly address: string;
  readonly onFatal: (error: unknown) => void;
}

/** Longer than a lease: whoever asks while a partition changes hands is answered by its next owner. */
const PATIENCE_BEYOND_LEASE_MS = 5_000;

export class Cluster {
  readonly owned: OwnedPartitions;
  readonly directory: Directory;
  readonly #options: OpenClusterOptions;
  readonly #listener: LinkListener;
  readonly #calls: OwnerCalls;
  readonly #followed = new Map<string, FollowedPartition>();

  private constructor(
    options: OpenClusterOptions,
    parts: { owned: OwnedPartitions; listener: LinkListener; directory: Directory },
  ) {
    this.#options = options;
    this.owned = parts.owned;
    this.directory = parts.directory;
    this.#listener = parts.listener;
    const { secret } = options.config.cluster;
    this.#calls = new OwnerCalls({
      directory: parts.directory,
      secret,
      node: options.address,
      patienceMs: options.config.leaseSeconds * 1_000 + PATIENCE_BEYOND_LEASE_MS,
      onHead: (partition, seq) => this.#followed.get(partition)?.wake(seq),
    });
  }

  static async open(options: OpenClusterOptions): Promise<Cluster> {
    const { config, database, address } = options;
    const { secret, host, port } = config.cluster;
    const owned = new OwnedPartitions();
    const listener = new LinkListener({ secret, handlers: owned.handlers() });
    const linkAddress = `${host}:${await listener.listen(port, host)}`;
    const followed = (): Record<string, number> => cluster?.positions() ?? {};
    let cluster: Cluster | undefined;
    const self = () => ({ address, linkAddress, roles: config.roles, positions: followed() });
    try {
      const directory = await Directory.open({ database, self, leaseMs: config.leaseSeconds * 1_000 });
      cluster = new Cluster(options, { owned, listener, directory });
      return cluster;
    } catch (error) {
      await listener.close();
      throw error;
    }
  }

  get roles(): readonly Role[] {
    return this.#options.config.roles;
  }

  /** How far this node has applied each partition. */
  positions(): Record<string, number> {
    const followed = [...this.#followed].map(([partition, { log }]) => [partition, log.lastSeq]);
    return { ...Object.fromEntries(followed), ...this.owned.positions() };
  }

  /** A partition of another node. Nothing new is shown before it is started. */
  async follow(partition: string): Promise<FollowedPartition> {
    const { database, onFatal } = this.#options;
    const followed = await FollowedPartition.open({ database, partition, ask: this.#ask, onFatal });
    this.#followed.set(partition, followed);
    return followed;
  }

  /** The host of a partition of markets that is followed. */
  openHost(log: PartitionLog, onWarning: (message: string) => void): Promise<RemoteHost> {
    const onStart = () => this.#followed.get(log.partition)?.start();
    return RemoteHost.open({ log, ask: this.#ask, onStart, onWarning });
  }

  /** Others may ask for it from now on. */
  serve(partition: OwnedPartition): void {
    this.owned.add(partition);
  }

  async close(): Promise<void> {
    for (const followed of this.#followed.values()) followed.close();
    this.#calls.close();
    await this.#listener.close();
    await this.directory.close();
  }

  readonly #ask: RemoteHostOptions['ask'] = (asked) => this.#calls.ask(asked);
}

export function openCluster(options: OpenClusterOptions): Promise<Cluster> {
  return Cluster.open(options);
}
