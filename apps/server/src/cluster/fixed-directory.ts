// Directory of a service and its lanes: the service owns every partition for as long as its lanes live.
import type { ClusterNode, LeaseHolder } from '@presage/journal';
import type { NodeDirectory, Owner } from './ports.ts';

export interface FixedDirectoryOptions {
  readonly owner: ClusterNode;
  /** Number of nodes that answer callers. */
  readonly gatewayCount: number;
}

const LOOK_MS = 250;

export class FixedDirectory implements NodeDirectory {
  readonly nodes: readonly ClusterNode[];
  readonly leases: readonly LeaseHolder[] = [];
  readonly gatewayCount: number;
  readonly settler: string;
  readonly #owner: Owner;
  readonly #listeners: (() => void)[] = [];
  readonly #looking: NodeJS.Timeout;

  constructor({ owner, gatewayCount }: FixedDirectoryOptions) {
    this.nodes = [owner];
    this.gatewayCount = gatewayCount;
    this.settler = owner.address;
    this.#owner = { node: owner, epoch: 1 };
    this.#looking = setInterval(() => void this.refresh(), LOOK_MS).unref();
  }

  ownerOf(): Owner {
    return this.#owner;
  }

  isHeld(): boolean {
    return true;
  }

  mayBeFree(): boolean {
    return false;
  }

  learn(): boolean {
    return false;
  }

  async announce(): Promise<void> {
    return undefined;
  }

  onLook(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async refresh(): Promise<void> {
    for (const listener of this.#listeners) listener();
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
  }
}
