// Recovers signers in threads behind a bounded queue: above the bound a check is refused at once.
import { availableParallelism } from 'node:os';
import { type Address, PresageError } from '@presage/protocol';
import type { SignerKind } from '@presage/protocol/signer';
import { backoffMs } from '@presage/runtime';
import { DIGEST_BYTES, SIGNATURE_BYTES } from './signature-batch.ts';
import { type PendingCheck, SignatureLane } from './signature-lane.ts';

export interface SignaturePoolOptions {
  readonly workers?: number;
  /** Most accepted checks that are not answered yet. */
  readonly maxQueued?: number;
  /** Called if a thread ended unexpectedly; the pool replaces it by itself. */
  readonly onWorkerLost?: (cause: Error) => void;
  /** Program of the threads, for a pool that is bundled into another program: it must call `serveSignatures`. */
  readonly entry?: URL;
}

/** About a second of work for one native thread: a longer wait is worse for the caller than a 429. */
const MAX_QUEUED = 4_096;
/** 2.5 ms of native work: large enough that the message costs little, small enough that orders are placed while the next ones are recovered. */
const MAX_BATCH = 25;
/** One batch in work, and the next while the answer to the first is on its way. */
const BATCHES_IN_FLIGHT = 2;
/** Smallest batch worth a message and the waking of a thread while another batch is in work; fewer checks wait for that answer. */
const MIN_SECOND_BATCH = 8;
/**
 * An idle thread starts with this many while the rest of a burst is still being read and hashed: otherwise the two
 * would take turns.
 */
const EARLY_BATCH = 13;
/** A check that was in two dying threads may be what kills them. */
const MAX_ATTEMPTS = 2;
const RESTART_DELAY = { firstMs: 100, longestMs: 5_000 };

export class SignaturePool {
  readonly #options: SignaturePoolOptions;
  readonly #maxQueued: number;
  readonly #lanes = new Set<SignatureLane>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #waiting: PendingCheck[] = [];
  #outstanding = 0;
  #isDispatching = false;
  #failedStarts = 0;
  #kind: SignerKind | undefined;
  #state: 'opening' | 'open' | 'closing' | 'closed' = 'opening';
  #closing: Promise<void> | undefined;
  #onSettled: () => void = () => {};
  #onOpened: (fault?: Error) => void = () => {};

  private constructor(options: SignaturePoolOptions) {
    this.#options = options;
    this.#maxQueued = options.maxQueued ?? MAX_QUEUED;
  }

  static async open(options: SignaturePoolOptions = {}): Promise<SignaturePool> {
    const pool = new SignaturePool(options);
    try {
      // One per core: the main thread is idle while it waits for a burst.
      await pool.#start(Math.max(1, options.workers ?? availableParallelism()));
    } catch (cause) {
      await pool.#stop();
      throw cause;
    }
    return pool;
  }

  /** Threads take a second to load: earlier checks wait for them. */
  static openSoon(options: SignaturePoolOptions = {}) {
    let pool: SignaturePool | undefined;
    const opened = SignaturePool.open(options).then((open) => {
      pool = open;
      return open;
    });
    const recover: SignaturePool['recover'] = (digest, signature) =>
      pool === undefined ? opened.then((open) => open.recover(digest, signature)) : pool.recover(digest, signature);
    return { opened, recover };
  }

  get kind(): SignerKind {
    if (this.#kind === undefined) throw new Error('the signature pool is not open');
    return this.#kind;
  }

  /** Number of checks accepted and not answered yet. */
  get outstanding(): number {
    return this.#outstanding;
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    return { presage_signatures_waiting: { help: 'Signature checks under way', read: () => this.#outstanding } };
  }

  /** The signer, or undefined if there is none. Rejects with `rate_limited` at once if the queue is full. */
  recover(digest: Uint8Array, signature: Uint8Array): Promise<Address | undefined> {
    assertWidths(digest, signature);
    if (this.#state !== 'open') return Promise.reject(new PresageError('overloaded', { reason: 'shutting down' }));
    if (this.#outstanding >= this.#maxQueued) return Promise.reject(queueFull(this.#maxQueued));
    this.#outstanding++;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ digest, signature, resolve, reject, attempts: 0 });
      if (this.#waiting.length >= EARLY_BATCH) this.#dispatchEarly();
      this.#dispatchSoon();
    });
  }

  /** Answers all accepted checks, accepts no more, then ends the threads. */
  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    this.#state = 'closing';
    const settled = new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    if (this.#outstanding > 0) await settled;
    await this.#stop();
  }

  async #start(workers: number): Promise<void> {
    const opened = new Promise<void>((resolve, reject) => {
      this.#onOpened = (fault) => (fault === undefined ? resolve() : reject(fault));
    });
    for (let i = 0; i < workers; i++) this.#addLane();
    await opened;
    this.#state = 'open';
  }

  async #stop(): Promise<void> {
    this.#state = 'closed';
    for (const restart of this.#restarts) clearTimeout(restart);
    await Promise.all([...this.#lanes].map((lane) => lane.stop()));
  }

  #addLane(): void {
    const { entry = new URL('./signature-worker-entry.mjs', import.meta.url) } = this.#options;
    const lane = new SignatureLane({
      entry,
      onReady: (kind) => this.#onReady(kind),
      onAnswer: (answered) => this.#settle(answered),
      onExit: (lane, cause) => this.#replace(lane, cause),
    });
    this.#lanes.add(lane);
  }

  #onReady(kind: SignerKind): void {
    this.#kind = kind;
    this.#failedStarts = 0;
    if ([...this.#lanes].every((lane) => lane.isReady)) this.#onOpened();
    this.#dispatch();
  }

  #settle(answered: number): void {
    this.#outstanding -= answered;
    this.#dispatch();
    if (this.#outstanding === 0) this.#onSettled();
  }

  /**
   * Dispatches after all requests of this turn of the event loop, over any connection, have added their checks: a
   * message costs as much as several orders do elsewhere.
   */
  #dispatchSoon(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    setImmediate(() => {
      this.#isDispatching = false;
      this.#dispatch();
    });
  }

  #dispatchEarly(): void {
    const lane = this.#freestLane();
    if (lane?.batchesInFlight === 0) lane.send(this.#waiting.splice(0));
  }

  #dispatch(): void {
    const { length } = this.#waiting;
    const isIdle = this.#outstanding === length;
    if (length === 0 || (!isIdle && length < MIN_SECOND_BATCH)) return;
    const size = this.#batchSize();
    while (this.#waiting.length > 0) {
      const lane = this.#freestLane();
      if (lane === undefined) return;
      lane.send(this.#waiting.splice(0, size));
    }
  }

  /**
   * Even shares, so that a burst neither queues for one thread nor leaves a few checks for the end; a small burst wakes
   * one thread only.
   */
  #batchSize(): number {
    const { length } = this.#waiting;
    const rounds = Math.ceil(length / (this.#lanes.size * MAX_BATCH));
    const share = Math.ceil(length / (this.#lanes.size * rounds));
    return share < MIN_SECOND_BATCH ? Math.min(length, MAX_BATCH) : share;
  }

  #freestLane(): SignatureLane | undefined {
    let freest: SignatureLane | undefined;
    for (const lane of this.#lanes) {
      if (!lane.isReady || lane.isFailing || lane.batchesInFlight >= BATCHES_IN_FLIGHT) continue;
      if (freest === undefined || lane.batchesInFlight < freest.batchesInFlight) freest = lane;
    }
    return freest;
  }

  #replace(lane: SignatureLane, cause: Error): void {
    this.#lanes.delete(lane);
    if (this.#state === 'closed') return;
    if (this.#state === 'opening') this.#onOpened(cause);
    else this.#onExit(lane, cause);
  }

  #onExit(lane: SignatureLane, cause: Error): void {
    this.#options.onWorkerLost?.(cause);
    this.#retry(lane.takeUnanswered());
    if (lane.isReady) this.#addLane();
    else this.#restartLater();
  }

  #retry(checks: readonly PendingCheck[]): void {
    const spent = checks.filter((check) => check.attempts >= MAX_ATTEMPTS);
    this.#waiting = [...checks.filter((check) => check.attempts < MAX_ATTEMPTS), ...this.#waiting];
    this.#abandon(spent);
  }

  /** A thread that cannot even start is retried ever less often; no caller waits for it meanwhile. */
  #restartLater(): void {
    if (![...this.#lanes].some((lane) => lane.isReady)) this.#abandon(this.#waiting.splice(0));
    const delayMs = backoffMs(RESTART_DELAY, this.#failedStarts++);
    const restart = setTimeout(() => {
      this.#restarts.delete(restart);
      this.#addLane();
    }, delayMs);
    this.#restarts.add(restart);
  }

  /** Callers only learn that the check failed: the cause goes to the operator through onWorkerLost. */
  #abandon(checks: readonly PendingCheck[]): void {
    for (const check of checks) check.reject(new PresageError('internal', { reason: 'signature check failed' }));
    this.#settle(checks.length);
  }
}

/** A batch is one buffer: a check of another width would shift all later ones. */
function assertWidths(digest: Uint8Array, signature: Uint8Array): void {
  if (digest.length === DIGEST_BYTES && signature.length === SIGNATURE_BYTES) return;
  throw new RangeError(`a signature check takes 32 and 65 bytes, not ${digest.length} and ${signature.length}`);
}

function queueFull(maxQueued: number): PresageError {
  return new PresageError('rate_limited', { reason: 'the signature queue is full', maxQueued, retryAfterSeconds: 1 });
}
