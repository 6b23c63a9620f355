// Timeouts of tests: long enough for a machine several times slower than a developer's.
import { type WaitOptions, waitFor as waitForAtMost } from '@presage/runtime';

const PATIENCE_MS = 240_000;

/** Waits until a condition holds; the error of a timeout names it. */
export function waitFor<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  options: WaitOptions = {},
): Promise<T> {
  return waitForAtMost(what, look, { timeoutMs: PATIENCE_MS, ...options });
}
