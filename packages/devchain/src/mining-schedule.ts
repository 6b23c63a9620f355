// When to mine: soon for somebody who waits, seldom otherwise, and many transactions to a block.

export interface MiningScheduleOptions {
  /** The rhythm of blocks while transactions keep coming and nobody waits for one. */
  readonly intervalMs: number;
  /** How long a block waits for more transactions: long enough to gather a burst, short enough to feel immediate. */
  readonly lingerMs: number;
  /** Mines one block if anything can be mined; answers whether more is ready. */
  readonly mine: () => Promise<boolean>;
}

export class MiningSchedule {
  readonly #options: MiningScheduleOptions;
  #timer: NodeJS.Timeout | undefined;
  #firstArrivalMs: number | undefined;
  #lastBlockMs = Number.NEGATIVE_INFINITY;
  #hurried = false;
  #held = false;
  #mining = false;

  constructor(options: MiningScheduleOptions) {
    this.#options = options;
  }

  get held(): boolean {
    return this.#held;
  }

  /** A transaction arrived. */
  touch(): void {
    this.#firstArrivalMs ??= performance.now();
    this.#arrange();
  }

  /** Somebody waits for a transaction that is in the pool. */
  hurry(): void {
    this.#hurried = true;
    this.touch();
  }

  /** Mines nothing until released. */
  hold(): void {
    this.#held = true;
    clearTimeout(this.#timer);
  }

  release(): void {
    this.#held = false;
    this.touch();
  }

  #arrange(): void {
    if (this.#held || this.#mining || this.#firstArrivalMs === undefined) return;
    clearTimeout(this.#timer);
    const { intervalMs, lingerMs } = this.#options;
    const spacingMs = this.#hurried ? Math.min(lingerMs, intervalMs) : intervalMs;
    const dueMs = Math.max(this.#firstArrivalMs + lingerMs, this.#lastBlockMs + spacingMs);
    this.#timer = setTimeout(() => void this.#fire(), Math.max(0, dueMs - performance.now()));
  }

  async #fire(): Promise<void> {
    this.#mining = true;
    this.#firstArrivalMs = undefined;
    this.#hurried = false;
    const more = await this.#options.mine();
    this.#lastBlockMs = performance.now();
    this.#mining = false;
    if (more) this.hurry();
    else this.#arrange();
  }
}
