// What the bodies of the journal share: the gate to append through, the chain they answer from, the rules of checkpoints.
import { JournalCorrupt, JournalFenced, JournalMisuse, JournalPoisoned } from './errors.ts';
import type { Frame } from './frame.ts';
import { type FrameChain, NO_HASH } from './frame-chain.ts';
import type { Checkpoint, FrameListener, FrameRef, FrameSeal } from './journal.ts';

export { FrameChain } from './frame-chain.ts';
export { assertPartitionName } from './frame-layout.ts';
export type { CheckpointFound } from './journal.ts';

/** What every append goes through: one frame in flight, none after a failure, followers called in order. */
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

  /** To be called before the next frame is built: its buffer belongs to the frame in flight. */
  assertFree(): void {
    this.assertOpen();
    if (this.#inFlight) throw new JournalMisuse(`A frame of ${this.#partition} is still in flight.`);
  }

  /** Runs `write`, which returns the frame it made durable; any error of it is final. */
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
    // A function of its own, so that one listener subscribed twice is two subscriptions.
    const entry: FrameListener = (frame) => listener(frame);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** The frame in flight has settled when it resolves. */
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

/** A partition whose frames are chained: what its owner and its followers answer alike. */
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

/** A partition that is written here. */
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

/** The sequence of a checkpoint, or of an image of memory. */
export function assertWithin({ seq }: Pick<Checkpoint, 'seq'>, lastSeq: number): void {
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > lastSeq) {
    throw new RangeError(`A checkpoint at sequence ${seq} does not lie within the journal, which ends at ${lastSeq}.`);
  }
}

/** A checkpoint is only written of durable records: one ahead of the journal proves that its tail was lost. */
export function assertNotAhead(checkpoint: Pick<Checkpoint, 'seq'>, lastSeq: number, file: string): void {
  if (checkpoint.seq <= lastSeq) return;
  const reason = `a checkpoint holds sequence ${checkpoint.seq}, but the journal ends at ${lastSeq}: acknowledged records are missing`;
  throw new JournalCorrupt({ file, offset: 0, expectedSeq: lastSeq + 1, reason });
}

/** Cuts the records before a wanted sequence off a frame, for readers that begin in its middle. */
export function trimFrame(frame: Frame, fromSeq: number): Frame {
  if (frame.firstSeq >= fromSeq) return frame;
  return { ...frame, firstSeq: fromSeq, records: frame.records.slice(fromSeq - frame.firstSeq) };
}

/** A frame that became durable as its writer gets it: without its records, which nobody should hold on to. */
export function toFrameRef({ partition, firstSeq, lastSeq, timeMs, hash, signature }: Frame): FrameRef {
  return { firstSeq, lastSeq, timeMs, frame: { partition, firstSeq, lastSeq, timeMs, hash, signature } };
}

export function toFrameSeal(frame: Frame): FrameSeal {
  return toFrameRef(frame).frame;
}

/** Hexadecimal, as journals name their identity and their head. */
export function toHashText({ hash }: Pick<FrameSeal, 'hash'>): string {
  return Buffer.from(hash).toString('hex');
}
