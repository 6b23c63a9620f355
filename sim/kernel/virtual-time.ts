// Virtual time: one queue of events that run one after another, each with all its consequences.

/** One run of one program; its timers and pending answers die with it. */
export interface SimProcess {
  readonly name: string;
  /** Name of the machine that it runs on. */
  readonly machine: string;
  isAlive: boolean;
}

interface TimedEvent {
  readonly dueMs: number;
  readonly order: number;
  readonly owner: SimProcess;
  readonly run: () => void;
  isCancelled: boolean;
}

export interface TimerHandle {
  readonly event: { isCancelled: boolean };
  ref(): TimerHandle;
  unref(): TimerHandle;
  hasRef(): boolean;
  refresh(): TimerHandle;
  [Symbol.toPrimitive](): number;
}

/** The real function, taken before anything is replaced. */
const realImmediate = globalThis.setImmediate;
const nextTurn = () => new Promise<void>((resolve) => realImmediate(resolve));

export class VirtualTime {
  readonly world: SimProcess = { name: 'world', machine: 'world', isAlive: true };
  #nowMs = 0;
  #wallOffsetMs: number;
  #heap: TimedEvent[] = [];
  #order = 0;
  #current: SimProcess = this.world;
  #nativeCalls = 0;
  #onNativeDone: () => void = () => undefined;
  #events = 0;

  constructor(startMs: number) {
    this.#wallOffsetMs = startMs;
  }

  /** Virtual time since the beginning; never decreases. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Time on the machine's clock, which can be wrong and jump. */
  get wallMs(): number {
    return Math.floor(this.#nowMs + this.#wallOffsetMs);
  }

  /** Number of events run. */
  get events(): number {
    return this.#events;
  }

  get current(): SimProcess {
    return this.#current;
  }

  jumpClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  /** Runs the function for the calling process, if that is still alive then. */
  after(delayMs: number, run: () => void, owner: SimProcess = this.#current): TimerHandle {
    return new Timer(() => this.#schedule(delayMs, run, owner));
  }

  /** Like `after`, as a promise; it never settles once its owner is dead. */
  wait(delayMs: number, owner: SimProcess = this.#current): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve, owner));
  }

  /** Runs the function as the process, which owns everything that it starts. */
  as<T>(owner: SimProcess, run: () => T): T {
    const former = this.#current;
    this.#current = owner;
    try {
      return run();
    } finally {
      this.#current = former;
    }
  }

  /** A call into native code takes no virtual time: the world waits for it. */
  async native<T>(call: Promise<T>): Promise<T> {
    this.#nativeCalls++;
    try {
      return await call;
    } finally {
      if (--this.#nativeCalls === 0) this.#onNativeDone();
    }
  }

  /**
   * Runs events in order until the condition holds, none is left, or the time is over; returns whether the condition
   * held.
   */
  async runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    await this.settle();
    while (!isDone()) {
      const event = this.#takeNext();
      if (event === undefined || event.dueMs > limitMs) {
        if (event !== undefined) this.#push(event);
        this.#nowMs = Math.max(this.#nowMs, limitMs);
        return false;
      }
      this.#nowMs = Math.max(this.#nowMs, event.dueMs);
      this.#current = event.owner;
      this.#events++;
      event.run();
      await this.settle();
      this.#current = this.world;
    }
    return true;
  }

  /** Waits until every promise that can continue has done so, and no native call is pending. */
  async settle(): Promise<void> {
    await nextTurn();
    while (this.#nativeCalls > 0) {
      await new Promise<void>((resolve) => {
        this.#onNativeDone = resolve;
      });
      await nextTurn();
    }
  }

  #schedule(delayMs: number, run: () => void, owner: SimProcess): TimedEvent {
    const dueMs = this.#nowMs + (delayMs > 0 ? delayMs : 0);
    const event = { dueMs, order: this.#order++, owner, run, isCancelled: false };
    this.#push(event);
    return event;
  }

  #takeNext(): TimedEvent | undefined {
    for (let event = this.#pop(); event !== undefined; event = this.#pop()) {
      if (!event.isCancelled && event.owner.isAlive) return event;
    }
    return undefined;
  }

  #push(event: TimedEvent): void {
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  #pop(): TimedEvent | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

/** The methods of Node's timers that the service uses. On the prototype, because a world makes thousands of timers. */
class Timer implements TimerHandle {
  readonly #schedule: () => TimedEvent;
  event: TimedEvent;

  constructor(schedule: () => TimedEvent) {
    this.#schedule = schedule;
    this.event = schedule();
  }

  ref(): TimerHandle {
    return this;
  }

  unref(): TimerHandle {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): TimerHandle {
    this.event.isCancelled = true;
    this.event = this.#schedule();
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.event.order;
  }
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}
