// Runs creations that may take longer than a caller waits: they continue, and the same request, sent again, waits for the same creation.
import { PresageError } from '@presage/protocol';
import { withinTime } from '@presage/runtime';

/** Longest wait for an answer; less than the 45 s that gateways and lanes give it to begin. */
const ANSWER_MS = 40_000;
/** Maximum of results kept for callers; beyond it, the oldest is dropped. */
const MOST_UNTOLD = 100;

export class SlowCreations<T> {
  readonly #answerMs: number;
  /** Creations by their request: in progress, or finished and not reported to a caller yet. */
  readonly #untold = new Map<string, Promise<T>>();

  constructor(answerMs = ANSWER_MS) {
    this.#answerMs = answerMs;
  }

  /** Runs a creation, or joins that of an equal request until a caller has its result. If it takes long, rejects with advice to retry. */
  async run(asked: string, create: () => Promise<T>): Promise<T> {
    const creation = this.#untold.get(asked) ?? this.#begin(asked, create);
    let isLate = false;
    const toLate = () => {
      isLate = true;
      const reason = 'it is still being created: send the same request again to wait for it';
      return new PresageError('chain_unavailable', { reason });
    };
    try {
      return await withinTime(creation, this.#answerMs, toLate);
    } finally {
      if (!isLate) this.#untold.delete(asked);
    }
  }

  #begin(asked: string, create: () => Promise<T>): Promise<T> {
    const [oldest] = this.#untold.keys();
    if (oldest !== undefined && this.#untold.size >= MOST_UNTOLD) this.#untold.delete(oldest);
    const creation = create();
    // Prevents an unhandled rejection: the creation may fail while no caller waits.
    creation.catch(() => undefined);
    this.#untold.set(asked, creation);
    return creation;
  }
}
