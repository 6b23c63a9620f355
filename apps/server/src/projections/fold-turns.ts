// When the fold of a transaction gives the event loop to others: often while the service is busy, seldom while somebody waits for the rows.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How the transaction competes with the rest of the service. */
export interface FoldPace {
  readonly isCatchingUp: boolean;
  /** Whether a reader waits for the view. */
  isAwaited(): boolean;
}

/**
 * A millisecond or two of work: the answers to orders wait for it. Counted in records and not in time, so that the same
 * records take the same turns everywhere.
 */
const SHORT_SLICE = 50;
/** A turn of a busy service takes milliseconds, which a reader would wait for, and a rebuild, too. */
const LONG_SLICE = 500;

export class FoldTurns {
  readonly #pace: FoldPace;
  #records = 0;

  constructor(pace: FoldPace) {
    this.#pace = pace;
  }

  /** Call it after some work on so many records. */
  isDueAfter(records: number): boolean {
    this.#records += records;
    if (this.#records < SHORT_SLICE) return false;
    return this.#records >= (this.#pace.isCatchingUp || this.#pace.isAwaited() ? LONG_SLICE : SHORT_SLICE);
  }

  async next(): Promise<void> {
    this.#records = 0;
    await nextTurn();
  }
}
