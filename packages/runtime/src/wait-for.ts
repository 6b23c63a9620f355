// Waits until something holds by asking again and again, for as long as it is given.
import { sleep } from './sleep.ts';

export interface WaitOptions {
  readonly timeoutMs?: number;
  readonly pollMs?: number;
}

type Look<T> = () => T | undefined | false | Promise<T | undefined | false>;

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_POLL_MS = 50;

/** Asks until the answer is neither undefined nor false, at least once; undefined when the time is over. */
export async function poll<T>(look: Look<T>, options: WaitOptions = {}): Promise<T | undefined> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, pollMs = DEFAULT_POLL_MS } = options;
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > deadlineMs) return undefined;
    await sleep(pollMs);
  }
}

/** As `poll`, but running out of time is an error that says what was waited for: "the market is listed". */
export async function waitFor<T>(what: string, look: Look<T>, options: WaitOptions = {}): Promise<T> {
  const seen = await poll(look, options);
  if (seen !== undefined) return seen;
  throw new Error(`waited ${options.timeoutMs ?? DEFAULT_TIMEOUT_MS} ms in vain until ${what}`);
}
