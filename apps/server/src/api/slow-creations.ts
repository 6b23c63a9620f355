// Creations that may take longer than a caller waits: they go on, and the same request, sent again, waits for the one under way.
import { PresageError } from '@presage/protocol';
import { withinTime } from '@presage/runtime';

/** Gateways and lanes give an answer 45 s to begin. */
const ANSWER_MS = 40_000;
/** Creations that nobody asked for again are forgotten, the oldest first. */
const MOST_UNTOLD = 100;

export class SlowCreations<T> {
  readonly #answerMs: number;
  /** By what was asked: under way, or over and not told to anybody yet. */
  readonly #untold = new Map<string, Promise<T>>();

  constructor(answerMs = ANSWER_MS) {
    this.#answerMs = answerMs;
  }

  /** Rejects after a while with what the caller can do. The same words ask for the same creation until one caller has its result. */
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
    // It may fail while nobody waits.
    creation.catch(() => undefined);
    this.#untold.set(asked, creation);
    return creation;
  }
}
