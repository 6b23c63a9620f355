// Repeats a step: at once while there is more to do, steadily while something is in progress, ever more slowly while
// idle.
import { backoffMs } from './backoff.ts';

/** Result of a step: more to do, something in progress, nothing, or a failure. */
export type PollResult = 'more' | 'busy' | 'idle' | 'failed';

export interface PollTimerOptions {
  readonly pollMs: number;
  /** The longest pause while idle; call `wake` when something happens. */
  readonly idleMs: () => number;
  /** The longest pause after failures. */
  readonly longestMs: number;
  /** Takes one step; a rejection ends the polling. */
  readonly step: () => Promise<PollResult>;
}

export class PollTimer {
  readonly #options: PollTimerOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: 'new' | 'waiting' | 'stepping' | 'closed' = 'new';
  #isWoken = false;
  /** Consecutive results of the two kinds that slow polling down. */
  #idles = 0;
  #failures = 0;

  constructor(options: PollTimerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#state === 'new') this.#wait(0);
  }

  /** Takes the next step now, or right after the current one. */
  wake(): void {
    this.#idles = 0;
    this.#isWoken = this.#state === 'stepping';
    if (this.#state !== 'waiting' || this.#failures > 0) return;
    clearTimeout(this.#timer);
    this.#wait(0);
  }

  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
  }

  #wait(delayMs: number): void {
    this.#state = 'waiting';
    this.#timer = setTimeout(() => this.#step(), delayMs);
  }

  #step(): void {
    this.#state = 'stepping';
    this.#options.step().then(
      (result) => this.#state === 'closed' || this.#wait(this.#delayAfter(result)),
      () => this.close(),
    );
  }

  #delayAfter(result: PollResult): number {
    const { pollMs, idleMs, longestMs } = this.#options;
    const wasWoken = this.#isWoken;
    this.#isWoken = false;
    this.#failures = result === 'failed' ? this.#failures + 1 : 0;
    this.#idles = result === 'idle' ? this.#idles + 1 : 0;
    if (result === 'failed') return backoffMs({ firstMs: pollMs, longestMs }, this.#failures);
    if (result === 'more' || wasWoken) return 0;
    return result === 'busy' ? pollMs : backoffMs({ firstMs: pollMs, longestMs: idleMs() }, this.#idles - 1);
  }
}
