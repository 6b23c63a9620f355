// Polls until a condition holds or the timeout is over.
import { sleep } from './sleep.ts';

export interface WaitOptions {
  readonly timeoutMs?: number;
  /**
   * Poll interval. By default a tenth of the time waited so far, within bounds: a wait of seconds needs no millisecond
   * precision.
   */
  readonly pollMs?: number;
}

type Look<T> = () => T | undefined | false | Promise<T | undefined | false>;

const DEFAULT_TIMEOUT_MS = 60_000;
const POLL_MS = { least: 50, most: 250 } as const;

/** Polls until the result is neither undefined nor false, at least once; undefined after the timeout. */
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

/** Like `poll`, but throws after the timeout, naming what was waited for: "the market is listed". */
export async function waitFor<T>(what: string, look: Look<T>, options: WaitOptions = {}): Promise<T> {
  const seen = await poll(look, options);
  if (seen !== undefined) return seen;
  throw new Error(`waited ${options.timeoutMs ?? DEFAULT_TIMEOUT_MS} ms in vain until ${what}`);
}
