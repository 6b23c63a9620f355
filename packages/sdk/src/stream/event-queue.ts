// A bounded queue between a connection and its reader: in order, conflated to the newest event where only the newest
// matters.

/**
 * Called when the event is read, so that a book is current at that time; returns undefined if there is nothing left to
 * show.
 */
export type Draw<E> = () => E | undefined;

const MAX_UNREAD = 10_000;

export class EventQueue<E> {
  readonly #unread = new Map<string | number, Draw<E>>();
  readonly #onOverflow: () => E;
  #count = 0;
  readonly #waiting: (() => void)[] = [];
  #end: { readonly error?: unknown } | undefined;

  /** `onOverflow` builds the event that replaces everything unread. */
  constructor(onOverflow: () => E) {
    this.#onOverflow = onOverflow;
  }

  /** An event with a key replaces an unread one with the same key. */
  push(draw: Draw<E>, key?: string): void {
    if (this.#end !== undefined) return;
    if (key !== undefined) this.#unread.delete(key);
    if (this.#unread.size >= MAX_UNREAD) this.#overflow();
    this.#unread.set(key ?? this.#count++, draw);
    this.#wake();
  }

  /** Ends the queue. Unread events are still delivered, then the error. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wake();
  }

  /** The reader has stopped. */
  close(): void {
    this.#unread.clear();
    this.#end = {};
    this.#wake();
  }

  async next(): Promise<IteratorResult<E, undefined>> {
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#end !== undefined) return this.#finish();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #take(): E | undefined {
    for (const [key, draw] of this.#unread) {
      this.#unread.delete(key);
      const event = draw();
      if (event !== undefined) return event;
    }
    return undefined;
  }

  #finish(): IteratorResult<E, undefined> {
    const error = this.#end?.error;
    this.#end = {};
    if (error !== undefined) throw error;
    return { done: true, value: undefined };
  }

  #overflow(): void {
    const kept = [...this.#unread].filter(([key]) => typeof key === 'string');
    this.#unread.clear();
    this.#unread.set(this.#count++, this.#onOverflow);
    for (const [key, draw] of kept) this.#unread.set(key, draw);
  }
}
