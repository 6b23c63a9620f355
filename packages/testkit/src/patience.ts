// How long tests wait for what must come: long enough for a machine several times slower than a developer's.
import { type WaitOptions, waitFor as waitForAtMost } from '@presage/runtime';

const PATIENCE_MS = 240_000;

/** Waits until something holds; the error of a wait in vain names it. */
export function waitFor<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  options: WaitOptions = {},
): Promise<T> {
  return waitForAtMost(what, look, { timeoutMs: PATIENCE_MS, ...options });
}
