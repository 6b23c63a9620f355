// Asks V8 to collect now, which it offers to nobody who did not ask for it by flag.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: unknown;

/** In a context of its own, so that nobody else sees the function. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc');
  }
  if (typeof collect === 'function') collect();
}
