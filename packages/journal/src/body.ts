// Shared parts of the journal's implementations: the gate for appends, the frame chain, the rules of checkpoints.
import { JournalCorrupt, JournalFenced, JournalMisuse, JournalPoisoned } from './errors.ts';
import type { Frame } from './frame.ts';
import { type FrameChain, NO_HASH } from './frame-chain.ts';
import type { Checkpoint, FrameListener, FrameRef, FrameSeal } from './journal.ts';

export { FrameChain } from './frame-chain.ts';
export { assertPartitionName } from './frame-layout.ts';
export type { CheckpointFound } from './journal.ts';

/** The gate that every append passes: one frame in flight, none after a failure, followers called in order. */
export class AppendGate {
  readonly #partition: string;
  readonly #listeners = new Set<FrameListener>();
  #failure: JournalPoisoned | JournalFenced | undefined;
  #inFlight: Promise<void> | undefined;
  #closed = false;

  constructor(partition: string) {
    this.#partition = partition;
  }

  get failure(): JournalPoisoned | JournalFenced | undefined {
    return this.#failure;
  }

  assertOpen(): void {
    if (this.#failure) throw this.#failure;
    if (this.#closed) throw new JournalMisuse(`The journal of ${this.#partition} is closed.`);
  }

  /** Must be called before the next frame is built: the buffer belongs to the frame in flight. */
  assertFree(): void {
    this.assertOpen();
    if (this.#inFlight) throw new JournalMisuse(`A frame of ${this.#partition} is still in flight.`);
  }

  /** Runs `write`, which returns the frame that it made durable; any error of it is final. */
  async pass(write: () => Promise<Frame>): Promise<Frame> {
    this.assertFree();
    const writing = write();
    this.#inFlight = writing.then(noop, noop);
    try {
      const frame = await writing;
      this.#publish(frame);
      return frame;
    } catch (error) {
      throw this.poison(error);
    } finally {
      this.#inFlight = undefined;
    }
  }

  poison(cause: unknown): JournalPoisoned | JournalFenced {
    this.#failure ??= cause instanceof JournalFenced ? cause : new JournalPoisoned(this.#partition, cause);
    return this.#failure;
  }

  subscribe(listener: FrameListener): () => void {
    // A separate function for each subscription, so that one listener subscribed twice is called twice.
    const entry: FrameListener = (frame) => listener(frame);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Resolves when the frame in flight has settled. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#inFlight;
  }

  #publish(frame: Frame): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(frame);
      } catch (error) {
        this.poison(error);
      }
    }
  }
}

function noop(): void {}

/** A partition with chained frames: the reads that its owner and its followers share. */
export abstract class ChainedPartition {
  readonly partition: string;
  protected readonly chain: FrameChain;

  constructor(partition: string, chain: FrameChain) {
    this.partition = partition;
    this.chain = chain;
  }

  get lastSeq(): number {
    return this.chain.point.lastSeq;
  }

  get headHash(): string {
    return toHashText({ hash: this.chain.point.hash ?? NO_HASH });
  }

  async *read(fromSeq: number): AsyncGenerator<Frame, void, void> {
    for await (const frame of this.readWhole(fromSeq)) yield trimFrame(frame, fromSeq);
  }

  abstract readWhole(fromSeq: number): AsyncGenerator<Frame, void, void>;
}

/** A partition that this process writes. */
export abstract class OwnedPartition extends ChainedPartition {
  protected readonly gate: AppendGate;

  constructor(partition: string, chain: FrameChain) {
    super(partition, chain);
    this.gate = new AppendGate(partition);
  }

  subscribe(listener: FrameListener): () => void {
    return this.gate.subscribe(listener);
  }
}

export const CHECKPOINTS_KEPT = 2;

const STATE_HASH = /^[0-9a-f]{64}$/;

export function assertCheckpoint(checkpoint: Checkpoint, lastSeq: number): void {
  assertWithin(checkpoint, lastSeq);
  if (!STATE_HASH.test(checkpoint.stateHash))
    throw new RangeError('A state hash has 64 lower-case hexadecimal digits.');
}

/** Checks the sequence of a checkpoint or of a memory image. */
export function assertWithin({ seq }: Pick<Checkpoint, 'seq'>, lastSeq: number): void {
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > lastSeq) {
    throw new RangeError(`A checkpoint at sequence ${seq} does not lie within the journal, which ends at ${lastSeq}.`);
  }
}

/** A checkpoint contains only durable records: one ahead of the journal proves that the journal's tail was lost. */
export function assertNotAhead(checkpoint: Pick<Checkpoint, 'seq'>, lastSeq: number, file: string): void {
  if (checkpoint.seq <= lastSeq) return;
  const reason = `a checkpoint holds sequence ${checkpoint.seq}, but the journal ends at ${lastSeq}: acknowledged records are missing`;
  throw new JournalCorrupt({ file, offset: 0, expectedSeq: lastSeq + 1, reason });
}

/** Removes the records before `fromSeq` from a frame, for readers that begin in its middle. */
export function trimFrame(frame: Frame, fromSeq: number): Frame {
  if (frame.firstSeq >= fromSeq) return frame;
  return { ...frame, firstSeq: fromSeq, records: frame.records.slice(fromSeq - frame.firstSeq) };
}

/** A durable frame for its writer: without the records, so that nobody keeps them in memory. */
export function toFrameRef({ partition, firstSeq, lastSeq, timeMs, hash, signature }: Frame): FrameRef {
  return { firstSeq, lastSeq, timeMs, frame: { partition, firstSeq, lastSeq, timeMs, hash, signature } };
}

export function toFrameSeal(frame: Frame): FrameSeal {
  return toFrameRef(frame).frame;
}

/** The hash in hexadecimal, the form of a journal's identity and head. */
export function toHashText({ hash }: Pick<FrameSeal, 'hash'>): string {
  return Buffer.from(hash).toString('hex');
}
