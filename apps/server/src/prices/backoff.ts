// How long to wait before a source is tried again: twice as long each time, never quite the same, as long as it asks for.

const FIRST_MS = 500;
/** Half a minute: an outage of hours is over for us half a minute after it is over. */
const LONGEST_MS = 30_000;
/** However long a source wants to be left alone, an hour is enough to look again. */
const LONGEST_ASKED_MS = 3_600_000;

export class Backoff {
  readonly #random: () => number;
  #attempts = 0;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** It works again. */
  reset(): void {
    this.#attempts = 0;
  }

  /** `askedMs` is what the source asked for itself, as in Retry-After. */
  nextMs(askedMs = 0): number {
    const full = Math.min(FIRST_MS * 2 ** this.#attempts, LONGEST_MS);
    this.#attempts = Math.min(this.#attempts + 1, 16);
    return Math.max(full / 2 + (full / 2) * this.#random(), Math.min(askedMs, LONGEST_ASKED_MS));
  }
}
