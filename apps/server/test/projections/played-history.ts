// A random history on its way into a journal, with the naive view looking on.
import type { JournalRecord } from '@presage/protocol';
import { NaiveView } from './naive-view.ts';
import { type HistoryParams, RandomHistory } from './random-history.ts';

export class PlayedHistory {
  readonly history: RandomHistory;
  readonly naive = new NaiveView();
  /** The types of the records so far. */
  readonly types = new Set<JournalRecord['type']>();
  readonly #steps: Generator<readonly JournalRecord[]>;
  #seq = 0;

  constructor(params: HistoryParams) {
    this.history = new RandomHistory(params);
    this.#steps = this.history.steps();
  }

  /** The next so many steps; all that are left when no number is given. */
  *play(count = Number.POSITIVE_INFINITY): Generator<readonly JournalRecord[]> {
    for (let n = 0; n < count; n++) {
      const { value: records, done } = this.#steps.next();
      if (done || records === undefined) return;
      for (const record of records) {
        this.naive.apply(++this.#seq, record);
        this.types.add(record.type);
      }
      yield records;
    }
  }
}
