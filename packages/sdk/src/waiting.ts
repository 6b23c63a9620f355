// Abortable sleeping, timeouts and backoff.

/** Rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

export interface TimeLimit {
  readonly signal: AbortSignal;
  /** Call it at the end: a caller's signal may live as long as its process. */
  release(): void;
}

/** A signal that fires with the caller's, or after a timeout. */
export function limitTime(ms: number, signal?: AbortSignal): TimeLimit {
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms} ms`)), ms);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Doubles each time, with 25 % jitter: clients that lost the same server must not reconnect all at once. */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempt = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  nextMs(): number {
    const { firstMs, longestMs } = this.#options;
    const ms = Math.min(longestMs, firstMs * 2 ** this.#attempt);
    this.#attempt += 1;
    return ms * (1 - Math.random() / 4);
  }

  reset(): void {
    this.#attempt = 0;
  }
}
