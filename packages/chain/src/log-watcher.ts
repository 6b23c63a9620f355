// Follows the logs of the chain block by block: each canonical block once, in order, with a rewind before every reorg.
import type { CursorBlock, Hex, LogCursor, SavedLogCursor } from '@presage/protocol';
import { type PollResult, PollTimer, SerialQueue } from '@presage/runtime';
import type { BlockHeader } from './header-memory.ts';
import { checkLogCursor, cutCursor, extendCursor, startCursor } from './log-cursor.ts';
import { ChainInconsistent, type LogFilters, LogReader, type WatchedLog } from './log-reader.ts';
import { NodeReader } from './node-reader.ts';
import { isRpcFailure, type Rpc, RpcUnavailable } from './rpc.ts';

export interface WatchedBlock {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: number;
  readonly logs: readonly WatchedLog[];
}

/** Every block above `toBlock` has left the chain. */
export interface Rewind {
  readonly toBlock: number;
}

/** The reorg reaches further back than the cursor: it is unknown what to undo. */
export class ReorgTooDeep extends Error {
  override readonly name = 'ReorgTooDeep';
}

export interface LogWatcherOptions {
  readonly rpc: Rpc;
  /** Shared with other followers of the chain; a private one if absent. */
  readonly node?: NodeReader;
  /** A log that matches any of these filters is delivered once. */
  readonly filters: LogFilters;
  readonly fromBlock: number;
  /** A cursor that `onBlock` or `onRewind` received before a restart; lowering its `next` has blocks delivered again. */
  readonly cursor?: SavedLogCursor | undefined;
  /** A delivery is done when the returned promise resolves; after a rejection it is repeated. */
  readonly onBlock: (block: WatchedBlock, cursor: LogCursor) => void | Promise<void>;
  readonly onRewind: (rewind: Rewind, cursor: LogCursor) => void | Promise<void>;
  /** Called when the chain has nothing new; never during the delivery of a block or a rewind. */
  readonly onIdle?: () => Promise<void>;
  /** The watcher has stopped for good. */
  readonly onTooDeep?: (error: ReorgTooDeep) => void;
  /** A step failed and will be repeated. */
  readonly onTrouble?: (error: unknown) => void;
  /** Depth to which a reorg can be undone, in blocks. */
  readonly depth?: number;
  readonly maxRange?: number;
  readonly pollMs?: number;
  /** The longest pause while no block arrives; `wake` ends it. */
  readonly idleMs?: () => number;
}

export type StepResult = 'idle' | 'delivered' | 'rewound';

const DEFAULT_DEPTH = 128;
const DEFAULT_MAX_RANGE = 500;
const DEFAULT_POLL_MS = 1_000;
const MAX_BACKOFF = 16;
const FIRST_LOOK_BACK = 4;

export class LogWatcher {
  readonly #options: LogWatcherOptions;
  readonly #node: NodeReader;
  readonly #logs: LogReader;
  readonly #depth: number;
  readonly #maxRange: number;
  readonly #queue = new SerialQueue();
  #cursor: LogCursor;
  #range: number;
  readonly #timer: PollTimer;
  #closed = false;

  constructor(options: LogWatcherOptions) {
    this.#options = options;
    const pollMs = options.pollMs ?? DEFAULT_POLL_MS;
    this.#timer = new PollTimer({
      pollMs,
      idleMs: options.idleMs ?? (() => pollMs),
      longestMs: pollMs * MAX_BACKOFF,
      step: () => this.#poll(),
    });
    this.#node = options.node ?? new NodeReader(options.rpc);
    this.#logs = new LogReader(options.rpc, options.filters);
    this.#depth = options.depth ?? DEFAULT_DEPTH;
    this.#maxRange = options.maxRange ?? DEFAULT_MAX_RANGE;
    this.#range = this.#maxRange;
    const { cursor, fromBlock } = options;
    this.#cursor = cursor === undefined ? startCursor(fromBlock) : checkLogCursor(cursor, fromBlock);
  }

  /** The newest block with delivered logs; null before the first. */
  get position(): number | null {
    return this.#cursor.blocks.at(-1)?.number ?? null;
  }

  /** The next block to deliver. */
  get next(): number {
    return this.#cursor.next;
  }

  /** Hash of a delivered block; undefined if it was not delivered, or is too old for a rewind. */
  hashOf(blockNumber: number): Hex | undefined {
    return this.#cursor.blocks.find(({ number }) => number === blockNumber)?.hash;
  }

  /** Delivers one range of blocks or one rewind; throws if the node is unreachable or inconsistent. */
  step(): Promise<StepResult> {
    return this.#queue.run(() => this.#step());
  }

  start(): void {
    this.#timer.start();
  }

  /** Announces a new head. */
  wake(): void {
    this.#timer.wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer.close();
    await this.#queue.idle();
  }

  async #step(): Promise<StepResult> {
    const { blocks, next } = this.#cursor;
    const tip = blocks.at(-1);
    const head = await this.#node.head();
    if (tip !== undefined && next <= tip.number) return this.#deliverAgain(head, tip);
    if (head.hash === tip?.hash) {
      await this.#options.onIdle?.();
      return 'idle';
    }
    if (head.number < next) return this.#compareBelow(head);
    const headers = await this.#readHeaders(head, next, Math.min(head.number, next + this.#range - 1));
    if (tip !== undefined && headers[0]!.parentHash !== tip.hash) return this.#rewind(head.number);
    await this.#deliver(headers);
    return 'delivered';
  }

  /**
   * Delivers blocks again after a restart, once the chain has shown that it still has the newest one, and so all before
   * it.
   */
  async #deliverAgain(head: BlockHeader, tip: CursorBlock): Promise<StepResult> {
    if (head.number < tip.number) return this.#compareBelow(head);
    const [found] = await this.#node.headersUnder(head, [tip.number]);
    if (found === undefined) throw new RpcUnavailable('transport', `no header of block ${tip.number}`);
    if (found?.hash !== tip.hash) return this.#rewind(head.number);
    const { next } = this.#cursor;
    const headers = await this.#readHeaders(head, next, Math.min(tip.number, next + this.#range - 1));
    const last = headers.at(-1)!;
    const known = this.#cursor.blocks.find(({ number }) => number === last.number);
    if (known !== undefined && known.hash !== last.hash)
      throw new ChainInconsistent(`block ${last.number} was replaced while it was read`);
    await this.#deliver(headers);
    return 'delivered';
  }

  /** A lower head than ours is a lagging node if we know the block, and a reorg if we do not. */
  async #compareBelow(head: BlockHeader): Promise<StepResult> {
    const ours = this.#cursor.blocks.find(({ number }) => number === head.number);
    const isForeign = ours !== undefined && ours.hash !== head.hash;
    return isForeign ? this.#rewind(head.number) : 'idle';
  }

  async #readHeaders(head: BlockHeader, from: number, to: number): Promise<BlockHeader[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    const headers = await this.#shrinkOnFailure(() => this.#node.headersUnder(head, numbers));
    return headers.map((header, index) => {
      if (header === undefined)
        throw this.#shrink(new RpcUnavailable('transport', `no header of block ${numbers[index]}`));
      if (header === null) throw new ChainInconsistent(`block ${numbers[index]} is above the head`);
      const parent = headers[index - 1];
      if (parent && parent.hash !== header.parentHash)
        throw new ChainInconsistent(`block ${header.number} has another parent`);
      return header;
    });
  }

  async #deliver(headers: readonly BlockHeader[]): Promise<void> {
    const logs = await this.#shrinkOnFailure(() => this.#logs.read(headers));
    this.#range = Math.min(this.#maxRange, this.#range * 2);
    for (const { number, hash, parentHash, timestamp } of headers) {
      if (this.#closed) return;
      const cursor = extendCursor(this.#cursor, { number, hash }, this.#depth);
      const block = { blockNumber: number, blockHash: hash, parentHash, timestamp, logs: logs.get(hash) ?? [] };
      // A failed delivery may have been kept in part: as after a restart, it is repeated, or rewound if the block has left the chain.
      this.#cursor = { ...cursor, next: number };
      await this.#options.onBlock(block, cursor);
      this.#cursor = cursor;
    }
  }

  async #rewind(headNumber: number): Promise<StepResult> {
    const toBlock = (await this.#findAncestor(headNumber)) ?? this.#beginning();
    if (toBlock === this.position) return 'idle';
    const cursor = cutCursor(this.#cursor, toBlock);
    // Where it fails, part of it may be done: should the blocks be on the chain after all, they are delivered again.
    this.#cursor = { ...this.#cursor, next: cursor.next };
    await this.#options.onRewind({ toBlock }, cursor);
    this.#cursor = cursor;
    return 'rewound';
  }

  /**
   * The newest delivered block that is still on the chain, searched from the tip down, since most reorgs are shallow.
   */
  async #findAncestor(headNumber: number): Promise<number | null> {
    let left = this.#cursor.blocks.filter(({ number }) => number <= headNumber);
    for (let count = FIRST_LOOK_BACK; left.length > 0; count *= 2) {
      const newest = left.slice(-count);
      left = left.slice(0, -count);
      const headers = await this.#node.headers(newest.map(({ number }) => number));
      if (headers.includes(undefined)) throw new RpcUnavailable('transport', 'not every header was answered');
      const kept = newest.findLast(({ hash }, index) => headers[index]?.hash === hash);
      if (kept !== undefined) return kept.number;
    }
    return null;
  }

  /** While the cursor still holds everything ever delivered, all of it can be undone. */
  #beginning(): number {
    const oldest = this.#cursor.blocks[0]!.number;
    if (oldest === this.#options.fromBlock) return oldest - 1;
    throw new ReorgTooDeep(`no block since ${oldest} is on the chain any more`);
  }

  async #shrinkOnFailure<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw this.#shrink(error);
    }
  }

  /** Too many results, a timeout, or two forks: a shorter range is likelier to succeed. */
  #shrink(error: unknown): unknown {
    this.#range = Math.max(1, Math.floor(this.#range / 2));
    return error;
  }

  async #poll(): Promise<PollResult> {
    try {
      return (await this.step()) === 'idle' ? 'idle' : 'more';
    } catch (error) {
      this.#report(error);
      // Only node failures cause a backoff: a delivery that its receiver rejected is repeated without one.
      return isRpcFailure(error) || error instanceof ChainInconsistent ? 'failed' : 'busy';
    }
  }

  #report(error: unknown): void {
    if (this.#closed) return;
    if (error instanceof ReorgTooDeep) {
      this.#closed = true;
      this.#timer.close();
      this.#options.onTooDeep?.(error);
    } else {
      this.#options.onTrouble?.(error);
    }
  }
}
