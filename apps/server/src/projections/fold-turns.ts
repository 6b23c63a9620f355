// Decides when folding yields the event loop: often while the service is busy, rarely while a reader waits for the rows.
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How the transaction competes with the rest of the service. */
export interface FoldPace {
  readonly isCatchingUp: boolean;
  /** Whether a reader waits for the view. */
  isAwaited(): boolean;
}

/**
 * Records per slice; answers to orders wait for a slice. Counted in records instead of time, so that the same records
 * yield at the same points everywhere. At least a tenth of a large transaction: under load a turn takes milliseconds,
 * and with more and more turns a transaction would never reach the end of a growing journal.
 */
const SHORT_SLICE = 50;
const SHORT_SHARE = 0.1;
/** Used when a reader or a rebuild waits, which a busy service would delay at every turn. */
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

  /** Must be called after work on this many records. */
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
