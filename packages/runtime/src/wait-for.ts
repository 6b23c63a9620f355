// Waits until something holds by asking again and again, for as long as it is given.
import { sleep } from './sleep.ts';

export interface WaitOptions {
  readonly timeoutMs?: number;
  /** When absent, a tenth of the time waited so far, within bounds: what has taken seconds need not be known to the millisecond. */
  readonly pollMs?: number;
}

type Look<T> = () => T | undefined | false | Promise<T | undefined | false>;

const DEFAULT_TIMEOUT_MS = 60_000;
const POLL_MS = { least: 50, most: 250 } as const;

/** Asks until the answer is neither undefined nor false, at least once; undefined when the time is over. */
export async function poll<T>(look: Look<T>, options: WaitOptions = {}): Promise<T | undefined> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, pollMs } = options;
  const startMs = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    const waitedMs = performance.now() - startMs;
    if (waitedMs > timeoutMs) return undefined;
    await sleep(pollMs ?? Math.min(Math.max(waitedMs / 10, POLL_MS.least), POLL_MS.most));
  }
}

/** Like `poll`, but a timeout is an error that names what was waited for: "the market is listed". */
export async function waitFor<T>(what: string, look: Look<T>, options: WaitOptions = {}): Promise<T> {
  const seen = await poll(look, options);
  if (seen !== undefined) return seen;
  throw new Error(`waited ${options.timeoutMs ?? DEFAULT_TIMEOUT_MS} ms in vain until ${what}`);
}
