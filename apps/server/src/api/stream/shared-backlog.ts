// What waits to be read by all connections together: past its limit the slowest readers are cut off, so that the others keep theirs.

interface Backlogged {
  readonly backlogBytes: number;
  /** Gives up everything that waits. */
  cutOff(reason: string): void;
}

export class SharedBacklog {
  readonly #limitBytes: number;
  readonly #waiting = new Map<Backlogged, number>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** To be called whenever what waits for one of them has changed. */
  note(reader: Backlogged, bytes: number): void {
    this.#bytes += bytes - (this.#waiting.get(reader) ?? 0);
    if (bytes === 0) this.#waiting.delete(reader);
    else this.#waiting.set(reader, bytes);
    while (this.#bytes > this.#limitBytes && this.#waiting.size > 0) this.#cutSlowest();
  }

  #cutSlowest(): void {
    let slowest: Backlogged | undefined;
    let most = 0;
    for (const [reader, bytes] of this.#waiting) if (bytes > most) [slowest, most] = [reader, bytes];
    if (slowest === undefined) return;
    this.#waiting.delete(slowest);
    this.#bytes -= most;
    slowest.cutOff('too slow: too much waits to be read by all connections together');
  }
}
