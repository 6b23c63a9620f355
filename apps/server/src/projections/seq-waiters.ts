// Callers who wait until the view has reached a journal sequence.

interface Waiter {
  readonly seq: number;
  readonly settle: (isReached: boolean) => void;
}

export class SeqWaiters {
  readonly #waiters = new Set<Waiter>();
  /** Below every sequence until the view has been opened. */
  #reached = -1;

  /** May go back: a rebuilt view begins again. */
  set reached(seq: number) {
    this.#reached = seq;
    for (const waiter of this.#waiters) if (waiter.seq <= seq) waiter.settle(true);
  }

  get reached(): number {
    return this.#reached;
  }

  wait(seq: number, timeoutMs: number): Promise<boolean> {
    if (seq <= this.#reached) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => settle(false), timeoutMs);
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
