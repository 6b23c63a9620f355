// When a child that ended is started again: soon at first, later each time, and not without end.

const WINDOW_MS = 60_000;
const MOST_IN_WINDOW = 5;
const FIRST_DELAY_MS = 100;

export class RestartPolicy {
  #endsMs: number[] = [];

  /** The pause before the next start; undefined when it has ended too often to go on. */
  nextDelayMs(nowMs: number): number | undefined {
    this.#endsMs = [...this.#endsMs.filter((endMs) => nowMs - endMs < WINDOW_MS), nowMs];
    const count = this.#endsMs.length;
    return count > MOST_IN_WINDOW ? undefined : FIRST_DELAY_MS * 2 ** (count - 1);
  }
}
