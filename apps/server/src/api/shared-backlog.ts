// What is held in memory for all connections together: past its limit those that hold the most are given up, so that the others keep theirs.

interface Backlogged {
  /** Releases everything held for this holder. */
  giveUp(): void;
}

export class SharedBacklog {
  readonly #limitBytes: number;
  readonly #held = new Map<Backlogged, number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records the memory held for `holder`. Among equally large holders the oldest is dropped first. */
  note(holder: Backlogged, bytes: number): void {
    this.#bytes += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
    while (this.#bytes > this.#limitBytes && this.#held.size > 0) this.#giveUpLargest();
  }

  #giveUpLargest(): void {
    let largest: Backlogged | undefined;
    let most = 0;
    for (const [holder, bytes] of this.#held) if (bytes > most) [largest, most] = [holder, bytes];
    if (largest === undefined) return;
    this.#held.delete(largest);
    this.#bytes -= most;
    largest.giveUp();
  }
}
