// Callers that wait until a follower of the journal has reached a sequence.

interface Waiter {
  readonly seq: number;
  readonly settle: (isReached: boolean) => void;
}

export class SeqWaiters {
  readonly #waiters = new Set<Waiter>();
  #reached: number;

  /** By default below every sequence. */
  constructor(reached = -1) {
    this.#reached = reached;
  }

  /** May decrease: a rebuild starts over. */
  set reached(seq: number) {
    this.#reached = seq;
    for (const waiter of this.#waiters) if (waiter.seq <= seq) waiter.settle(true);
  }

  get reached(): number {
    return this.#reached;
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  /** Resolves to whether the sequence was reached in time; without a timeout it waits until `giveUp`. */
  wait(seq: number, timeoutMs?: number): Promise<boolean> {
    if (seq <= this.#reached) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(false), timeoutMs);
      const settle = (isReached: boolean) => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(isReached);
      };
      const waiter = { seq, settle };
      this.#waiters.add(waiter);
    });
  }

  giveUp(): void {
    for (const waiter of this.#waiters) waiter.settle(false);
  }
}
