// Directory of living nodes and owners of partitions, from the database: read several times a second, and at once when an owner was not found.
import { type ClusterNode, type JournalDatabase, type LeaseHolder, NodeTable, readLeases } from '@presage/journal';
import type { NextOwner, NodeDirectory, Owner } from './ports.ts';

export interface DirectoryOptions {
  readonly database: JournalDatabase;
  /** What this node announces about itself. */
  readonly self: () => ClusterNode;
  /** Silence after which a node counts as gone. */
  readonly leaseMs: number;
}

const LOOK_MS = 250;

export class Directory implements NodeDirectory {
  readonly #options: DirectoryOptions;
  readonly #table: NodeTable;
  #nodes: readonly ClusterNode[] = [];
  #leases: ReadonlyMap<string, LeaseHolder> = new Map();
  /** Start of the query that read the leases, by the clock of this process. */
  #leasesMs = 0;
  readonly #timers: NodeJS.Timeout[];
  #looking: Promise<void> | undefined;
  /** Number of updates learned from other nodes; a query that began before the latest one is discarded. */
  #learned = 0;
  readonly #listeners: (() => void)[] = [];

  private constructor(options: DirectoryOptions, table: NodeTable) {
    this.#options = options;
    this.#table = table;
    // While the database does not answer, the last state stays: a lost owner is noticed by its connection.
    const look = setInterval(() => void this.refresh(), LOOK_MS);
    const beat = setInterval(() => this.announce().catch(() => undefined), options.leaseMs / 3);
    this.#timers = [look.unref(), beat.unref()];
  }

  static async open(options: DirectoryOptions): Promise<Directory> {
    const directory = new Directory(options, await NodeTable.open(options.database));
    try {
      await directory.announce();
      await directory.refresh();
      return directory;
    } catch (error) {
      directory.#stop();
      throw error;
    }
  }

  get nodes(): readonly ClusterNode[] {
    return this.#nodes;
  }

  get leases(): readonly LeaseHolder[] {
    return [...this.#leases.values()];
  }

  get gatewayCount(): number {
    const gateways = this.#nodes.filter(({ roles }) => roles.includes('gateway'));
    return Math.max(1, gateways.length);
  }

  get settler(): string | undefined {
    const lease = this.leases.find(({ partition, heldMs }) => heldMs > 0 && partition.startsWith('chain-'));
    return lease && this.ownerOf(lease.partition)?.node.address;
  }

  ownerOf(partition: string): Owner | undefined {
    const lease = this.#leases.get(partition);
    if (lease === undefined || lease.heldMs === 0) return undefined;
    const node = this.#nodes.find(({ address }) => address === lease.address);
    return node && { node, epoch: lease.epoch };
  }

  isHeld(partition: string): boolean {
    return (this.#leases.get(partition)?.heldMs ?? 0) > 0;
  }

  /** False until the last seen lease has expired: a living owner renews it long before, and the next query sees that. */
  mayBeFree(partition: string): boolean {
    const { heldMs } = this.#leases.get(partition) ?? { heldMs: 0 };
    return performance.now() >= this.#leasesMs + heldMs;
  }

  learn(partition: string, { address, linkAddress, epoch }: NextOwner): boolean {
    const known = this.#leases.get(partition);
    if (known !== undefined && known.epoch >= epoch) return false;
    this.#learned++;
    const { leaseMs: heldMs } = this.#options;
    this.#leases = new Map(this.#leases).set(partition, { partition, address, epoch, heldMs });
    if (!this.#nodes.some((node) => node.address === address)) {
      this.#nodes = [...this.#nodes, { address, linkAddress, roles: ['engine'], positions: {} }];
    }
    return true;
  }

  announce(): Promise<void> {
    return this.#table.beat(this.#options.self());
  }

  onLook(listener: () => void): void {
    this.#listeners.push(listener);
  }

  refresh(): Promise<void> {
    this.#looking ??= this.#look()
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#looking;
    await this.#table.leave(this.#options.self().address).catch(() => undefined);
  }

  #stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  async #look(): Promise<void> {
    const { database, leaseMs } = this.#options;
    const learned = this.#learned;
    const startMs = performance.now();
    const [nodes, leases] = await Promise.all([this.#table.list(leaseMs), readLeases(database)]);
    if (learned !== this.#learned) return;
    this.#nodes = nodes;
    this.#leasesMs = startMs;
    this.#leases = new Map(leases.map((lease) => [lease.partition, lease]));
    for (const listener of this.#listeners) listener();
  }
}
