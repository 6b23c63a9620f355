// Calls the owner of a partition: retries with the same id after a loss, a move or a fence, until it is answered.
import type { Frame } from '@presage/journal';
import { PresageError } from '@presage/protocol';
import { backoffMs, sleep } from '@presage/runtime';
import type { SharedSettings } from './handshake.ts';
import { Link } from './link.ts';
import { NotOwner, OutcomeUnknown } from './link-messages.ts';
import type { Asked, NodeDirectory, OwnerCall } from './ports.ts';

export interface OwnerCallsOptions extends SharedSettings {
  readonly directory: NodeDirectory;
  /** Name of this node; calls are identified by it and a count. */
  readonly node: string;
  /** How long a caller waits while nobody owns the partition. */
  readonly patienceMs: number;
  /** Partitions that this node follows. */
  readonly followed: () => readonly string[];
  /** Called with the last durable sequence that an owner reports. */
  readonly onHead: (partition: string, seq: number) => void;
  /** Called with each durable frame that an owner sends. */
  readonly onFrame: (frame: Frame) => void;
  readonly onWarning: (message: string) => void;
}

const RETRY = { firstMs: 10, longestMs: 250 };
const CONNECT_MS = 1_000;
/** A partition may have another owner by now, so a call does not wait long for a node that cannot be reached. */
const OWNER_CONNECT_MS = 100;
/** Wait for missing owners during shutdown; long enough for a handover in progress. */
const LAST_WAIT_MS = 1_000;

export class OwnerCalls {
  readonly #options: OwnerCallsOptions;
  readonly #links = new Map<string, Link>();
  readonly #callsFrom: string;
  #count = 0;
  #isClosed = false;
  /** Time at which waiting for missing owners ends. */
  #endsMs = Number.POSITIVE_INFINITY;

  constructor(options: OwnerCallsOptions) {
    this.#options = options;
    // A restarted node counts from one again, and its calls must not be mistaken for those of its previous run.
    this.#callsFrom = `${options.node} ${crypto.randomUUID()}`;
    options.directory.onLook(() => this.#follow());
  }

  /** Rejects with the owner's refusal, or with `partition_unavailable` if no owner was found in time. */
  async ask<T>({ partition, method, body, appliedSeq }: Asked): Promise<T> {
    const call: OwnerCall = { partition, id: `${this.#callsFrom} ${++this.#count}` };
    const deadlineMs = performance.now() + this.#options.patienceMs;
    // Evidence is searched for only then: without a lost call, the same outcome in the journal could be that of another node's call.
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
        // Handed over before anything was done: the next owner answers at once and need not search.
        if (error instanceof NotOwner && error.next && this.#options.directory.learn(partition, error.next)) continue;
        await sleep(backoffMs(RETRY, failures++));
        await this.#options.directory.refresh();
      }
    }
  }

  /** Asks one node once. Rejects with `LinkLost` if it cannot be reached. */
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

  /** Called when this node follows other partitions: asks their owners to send frames. */
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

  /** Keeps one connection to each node that owns partitions or may be handed some, and closes those of nodes that are gone. */
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
    // The body was read by the layout of its topic, which has this type.
    if (topic === 'frame') this.#options.onFrame(body as Frame);
    if (topic !== 'heads') return;
    // Each owner reports its partitions by name.
    for (const [partition, seq] of Object.entries(body as Record<string, number>)) {
      this.#options.onHead(partition, seq);
    }
  }
}
