// Exponential backoff: the wait before a retry doubles each time, up to a bound.

export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after this many earlier failures. */
export function backoffMs({ firstMs, longestMs }: BackoffOptions, failures: number): number {
  return Math.min(longestMs, firstMs * 2 ** failures);
}

/**
 * Counts the failures itself and adds 25 % jitter: clients that lost the same server must not reconnect all at once.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  nextMs(): number {
    return backoffMs(this.#options, this.#failures++) * (1 - Math.random() / 4);
  }

  reset(): void {
    this.#failures = 0;
  }
}
