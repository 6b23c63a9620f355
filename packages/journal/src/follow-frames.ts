// Follows a journal from any sequence: history first, then each frame as it becomes durable, without a gap or a repeat.

import type { Frame } from './frame.ts';
import type { JournalReader } from './journal.ts';
import { trimFrame } from './trim-frame.ts';

export interface FollowOptions {
  journal: JournalReader;
  fromSeq: number;
  /** Ends the following. */
  signal: AbortSignal;
  /** How many fresh frames may wait for a slow follower; beyond it they are read back from the journal instead. */
  maxWaiting?: number;
}

export async function* followFrames(options: FollowOptions): AsyncGenerator<Frame, void, void> {
  const { journal, signal } = options;
  const fresh = new FreshFrames(options.maxWaiting ?? 256);
  const unsubscribe = journal.subscribe((frame) => fresh.offer(frame));
  const wake = () => fresh.wake();
  signal.addEventListener('abort', wake);
  let nextSeq = options.fromSeq;
  try {
    while (!signal.aborted) {
      for await (const frame of nextFrames(journal, fresh, nextSeq)) {
        if (signal.aborted) return;
        yield frame;
        nextSeq = frame.lastSeq + 1;
      }
      if (!signal.aborted && journal.lastSeq < nextSeq) await fresh.arrival();
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', wake);
  }
}

function nextFrames(
  journal: JournalReader,
  fresh: FreshFrames,
  nextSeq: number,
): AsyncIterable<Frame> | Iterable<Frame> {
  const frame = fresh.take(nextSeq);
  return frame ? [trimFrame(frame, nextSeq)] : journal.read(nextSeq);
}

class FreshFrames {
  readonly #maxWaiting: number;
  #frames: Frame[] = [];
  #wake: (() => void) | undefined;

  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  offer(frame: Frame): void {
    // The oldest are given up first: the follower will read them back, and by then meet the newer ones here.
    if (this.#frames.length >= this.#maxWaiting) this.#frames.shift();
    this.#frames.push(frame);
    this.wake();
  }

  /** The waiting frame that holds `seq`; frames before it are dropped. */
  take(seq: number): Frame | undefined {
    while (this.#frames[0] && this.#frames[0].lastSeq < seq) this.#frames.shift();
    const frame = this.#frames[0];
    return frame && frame.firstSeq <= seq ? this.#frames.shift() : undefined;
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
