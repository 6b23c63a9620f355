// When the fold of a transaction gives the event loop to others: often while the service is busy, seldom while somebody waits for the rows.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How the transaction competes with the rest of the service. */
export interface FoldPace {
  readonly isCatchingUp: boolean;
  /** Whether a reader waits for the view. */
  isAwaited(): boolean;
}

/**
 * Answers to orders wait for a slice. Counted in records and not in time, so that the same records take the same turns
 * everywhere. A tenth of a large transaction at least: under load a turn takes milliseconds, and a transaction that takes
 * ever more of them would never reach the end of a journal that grows meanwhile.
 */
const SHORT_SLICE = 50;
const SHORT_SHARE = 0.1;
/** A reader would wait for every turn of a busy service, and a rebuild, too. */
const LONG_SLICE = 500;

export class FoldTurns {
  readonly #pace: FoldPace;
  readonly #shortSlice: number;
  #records = 0;

  /** `records` is the length of the transaction. */
  constructor(pace: FoldPace, records: number) {
    this.#pace = pace;
    this.#shortSlice = Math.min(LONG_SLICE, Math.max(SHORT_SLICE, records * SHORT_SHARE));
  }

  /** Call it after some work on so many records. */
  isDueAfter(records: number): boolean {
    this.#records += records;
    if (this.#records < this.#shortSlice) return false;
    return this.#records >= (this.#pace.isCatchingUp || this.#pace.isAwaited() ? LONG_SLICE : this.#shortSlice);
  }

  async next(): Promise<void> {
    this.#records = 0;
    await nextTurn();
  }
}
