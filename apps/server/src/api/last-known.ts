// An answer that may take long, given at once: what was last known, while the next is on its way.
import { sleep } from '@presage/runtime';

export interface LastKnownOptions<T> {
  readonly ask: () => Promise<T>;
  readonly nowMs: () => number;
  /** An answer younger than this is good enough. */
  readonly reuseMs: number;
  /** Longer nobody waits who could have the last answer. */
  readonly patienceMs: number;
}

export class LastKnown<T> {
  readonly #options: LastKnownOptions<T>;
  #known: { readonly value: T } | undefined;
  #asked: { readonly atMs: number; readonly answer: Promise<T>; isPending: boolean } | undefined;

  constructor(options: LastKnownOptions<T>) {
    this.#options = options;
  }

  /** Waits for the first answer; later for `patienceMs` at most. */
  async read(): Promise<T> {
    const answer = this.#ask();
    if (this.#known === undefined) return answer;
    const { value } = this.#known;
    return Promise.race([answer, sleep(this.#options.patienceMs).then(() => value)]);
  }

  /** One question at a time: they would pile up before somebody who does not answer. */
  #ask(): Promise<T> {
    const nowMs = this.#options.nowMs();
    const asked = this.#asked;
    const isYoung = asked !== undefined && nowMs >= asked.atMs && nowMs - asked.atMs < this.#options.reuseMs;
    if (asked !== undefined && (asked.isPending || isYoung)) return asked.answer;
    const question = { atMs: nowMs, answer: this.#options.ask(), isPending: true };
    this.#asked = question;
    question.answer.then(
      (value) => {
        question.isPending = false;
        this.#known = { value };
      },
      () => {
        this.#asked = undefined;
      },
    );
    return question.answer;
  }
}
