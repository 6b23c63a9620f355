// What every journal body goes through to append: one frame in flight, none after a failure, followers called in order.

import { JournalFenced, JournalMisuse, JournalPoisoned } from './errors.ts';
import type { Frame } from './frame.ts';
import type { FrameListener } from './journal.ts';

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
