// Events between a connection and whoever reads them: in order, the newest of a kind where only that matters, never without bound.

/** Made when it is read, so that a book is drawn as it stands then; undefined when there is nothing to show any more. */
export type Draw<E> = () => E | undefined;

const MAX_UNREAD = 10_000;

export class EventQueue<E> {
  readonly #unread = new Map<string | number, Draw<E>>();
  readonly #onOverflow: () => E;
  #count = 0;
  readonly #waiting: (() => void)[] = [];
  #end: { readonly error?: unknown } | undefined;

  /** `onOverflow` makes the event that takes the place of all that was unread. */
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

  /** What is unread is still read. With an error the reader gets it at the end. */
  end(end: { readonly error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wake();
  }

  /** Nobody reads any more. */
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
