// What is held in memory for all connections together: past its limit those that hold the most are given up, so that the others keep theirs.

interface Backlogged {
  /** Releases everything that is held for it. */
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

  /** To be called whenever what is held for one of them has changed. Of several that hold as much, the first is given up. */
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
