// When a child that ended is started again: soon at first, later each time, and not without end.
import { backoffMs } from '@presage/runtime';

const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 5;
const DELAY = { firstMs: 100, longestMs: WINDOW_MS };

export class RestartPolicy {
  #endsMs: number[] = [];

  /** The pause before the next start; undefined when it has ended too often to go on. */
  nextDelayMs(nowMs: number): number | undefined {
    this.#endsMs = [...this.#endsMs.filter((endMs) => nowMs - endMs < WINDOW_MS), nowMs];
    const count = this.#endsMs.length;
    return count > MOST_IN_WINDOW ? undefined : backoffMs(DELAY, count - 1);
  }
}
