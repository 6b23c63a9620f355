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

/** Moves what is left together, too, so that the system gets back pages that would stay nearly empty: it takes twice as long. */
export function compactHeap(): void {
  setFlagsFromString('--compact-on-every-full-gc');
  try {
    collectGarbage();
  } finally {
    setFlagsFromString('--no-compact-on-every-full-gc');
  }
}
