// Decides when to mine: soon if a client waits, rarely otherwise, with many transactions per block.

export interface MiningScheduleOptions {
  /** Interval of blocks while transactions keep arriving and no client waits for one. */
  readonly intervalMs: number;
  /** How long a block waits for more transactions: long enough to collect a burst, short enough to feel immediate. */
  readonly lingerMs: number;
  /** Mines one block if anything can be mined; resolves to whether more is ready. */
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

  /** Reports a new transaction. */
  touch(): void {
    this.#firstArrivalMs ??= performance.now();
    this.#arrange();
  }

  /** Reports that a client waits for a pending transaction. */
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
