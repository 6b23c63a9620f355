// Asks the owner of a partition, wherever it is: again after a loss, a move or a fence, with the same id, until it is answered.
import type { Frame } from '@presage/journal';
import { PresageError } from '@presage/protocol';
import { backoffMs, sleep } from '@presage/runtime';
import type { SharedSettings } from './handshake.ts';
import { Link } from './link.ts';
import { NotOwner, OutcomeUnknown } from './link-messages.ts';
import type { Asked, NodeDirectory, OwnerCall } from './ports.ts';

export interface OwnerCallsOptions extends SharedSettings {
  readonly directory: NodeDirectory;
  /** The name of this node; with a count it names every call. */
  readonly node: string;
  /** How long a caller waits while nobody owns the partition. */
  readonly patienceMs: number;
  /** The partitions that are followed here. */
  readonly followed: () => readonly string[];
  /** An owner says how far a partition is durable. */
  readonly onHead: (partition: string, seq: number) => void;
  /** An owner sends a frame that became durable. */
  readonly onFrame: (frame: Frame) => void;
  readonly onWarning: (message: string) => void;
}

const RETRY = { firstMs: 10, longestMs: 250 };
const CONNECT_MS = 1_000;
/** A partition may have another owner by now, so a call does not wait long for a node that cannot be reached. */
const OWNER_CONNECT_MS = 100;
/** Long enough for a partition that is being handed over. */
const LAST_WAIT_MS = 1_000;

export class OwnerCalls {
  readonly #options: OwnerCallsOptions;
  readonly #links = new Map<string, Link>();
  readonly #callsFrom: string;
  #count = 0;
  #isClosed = false;
  /** When waiting for owners ends. */
  #endsMs = Number.POSITIVE_INFINITY;

  constructor(options: OwnerCallsOptions) {
    this.#options = options;
    // A restarted node counts from one again, and its calls must not be mistaken for those of its previous run.
    this.#callsFrom = `${options.node} ${crypto.randomUUID()}`;
    options.directory.onLook(() => this.#follow());
  }

  /** Rejects with what the owner refused it with, or with `partition_unavailable` when none was found in time. */
  async ask<T>({ partition, method, body, appliedSeq }: Asked): Promise<T> {
    const call: OwnerCall = { partition, id: `${this.#callsFrom} ${++this.#count}` };
    const deadlineMs = performance.now() + this.#options.patienceMs;
    // Looked for only then: the same outcome in the journal may be that of another node's call.
    let isPerhapsDone = false;
    for (let failures = 0; ; ) {
      const again = isPerhapsDone && appliedSeq !== undefined ? { retryFromSeq: appliedSeq } : {};
      try {
        // A node that knows the secret and speaks this version answers each method with its own type.
        return (await this.#askOwner(method, { ...body, ...call, ...again })) as T;
      } catch (error) {
        if (error instanceof OutcomeUnknown) isPerhapsDone = true;
        else if (!(error instanceof NotOwner)) throw error;
        if (this.#isClosed || performance.now() > Math.min(deadlineMs, this.#endsMs))
          throw new PresageError('partition_unavailable');
        // Handed over before anything was done: the next owner answers at once, and has nothing to look for.
        if (error instanceof NotOwner && error.next && this.#options.directory.learn(partition, error.next)) continue;
        await sleep(backoffMs(RETRY, failures++));
        await this.#options.directory.refresh();
      }
    }
  }

  /** Once, of one node. Rejects with `LinkLost` where it cannot be reached. */
  async askNode(address: string, method: string, body: unknown, connectMs = CONNECT_MS): Promise<unknown> {
    const link = this.#linkTo(address);
    await link.connected(connectMs);
    return link.request(method, body);
  }

  /** Whether that node is connected. */
  isLinked(address: string): boolean {
    return this.#links.get(address)?.isConnected === true;
  }

  /** Whether that node was refused because its receipts have another key. */
  hasOtherKey(address: string): boolean {
    return this.#links.get(address)?.hasOtherKey === true;
  }

  /** This node stops: owners are still asked, but missing ones are not waited for. */
  hurry(): void {
    this.#endsMs = performance.now() + LAST_WAIT_MS;
  }

  /** Other partitions are followed from now on: their owners send their frames. */
  follow(): void {
    for (const link of this.#links.values()) if (link.isConnected) this.#askToFollow(link);
  }

  close(): void {
    this.#isClosed = true;
    for (const link of this.#links.values()) link.close();
    this.#links.clear();
  }

  async #askOwner(method: string, call: OwnerCall): Promise<unknown> {
    const owner = this.#options.directory.ownerOf(call.partition);
    if (owner === undefined) throw new NotOwner(call.partition);
    return this.askNode(owner.node.linkAddress, method, call, OWNER_CONNECT_MS);
  }

  /** One connection to each node that owns something or may be handed something; a node that is gone needs none. */
  #follow(): void {
    const { directory, node } = this.#options;
    if (this.#isClosed) return;
    const known = new Set(directory.nodes.map(({ linkAddress }) => linkAddress));
    for (const [address, link] of this.#links) {
      if (known.has(address)) continue;
      this.#links.delete(address);
      link.close();
    }
    const owners = directory.leases.flatMap(({ partition }) => directory.ownerOf(partition)?.node ?? []);
    const engines = directory.nodes.filter(({ roles }) => roles.includes('engine'));
    for (const each of [...owners, ...engines]) if (each.address !== node) this.#linkTo(each.linkAddress);
  }

  #linkTo(address: string): Link {
    const known = this.#links.get(address);
    if (known !== undefined) return known;
    const { secret, receiptKey, node, onWarning } = this.#options;
    const link: Link = new Link({
      secret,
      receiptKey,
      node,
      address,
      onWarning,
      onConnected: () => this.#askToFollow(link),
      onNews: (topic, body) => this.#takeNews(topic, body),
    });
    this.#links.set(address, link);
    return link;
  }

  #askToFollow(link: Link): void {
    link.request('follow', { partitions: this.#options.followed() }).catch(() => undefined);
  }

  #takeNews(topic: string, body: unknown): void {
    // The layout of each topic was read, which has this type.
    if (topic === 'frame') this.#options.onFrame(body as Frame);
    if (topic !== 'heads') return;
    // Each owner tells how far its partitions are, by their names.
    for (const [partition, seq] of Object.entries(body as Record<string, number>)) {
      this.#options.onHead(partition, seq);
    }
  }
}
