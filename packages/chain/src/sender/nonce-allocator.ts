// Allocates nonces in sequence and tracks which of them are being written to the journal.

export class NonceAllocator {
  readonly #reserving = new Set<number>();
  #next: number | null;

  constructor(next: number | null) {
    this.#next = next;
  }

  /** The nonce to allocate next; null before the first is known. */
  get next(): number | null {
    return this.#next;
  }

  get isReady(): boolean {
    return this.#next !== null;
  }

  /** Number of allocated nonces that are not durable yet. */
  get reserving(): number {
    return this.#reserving.size;
  }

  isBeingReserved(nonce: number): boolean {
    return this.#reserving.has(nonce);
  }

  /** Raises the next nonce to the chain's, which counts every used nonce, whoever sent it. Never lowers it. */
  raiseTo(chainNonce: number): void {
    this.#next = Math.max(this.#next ?? 0, chainNonce);
  }

  /** Restarts at the nonce of another account. No nonce may be in use. */
  beginAt(chainNonce: number): void {
    this.#next = chainNonce;
  }

  /** Allocates a nonce and holds it until the reservation is durable. */
  async use<T>(reserve: (nonce: number) => Promise<T>): Promise<T> {
    if (this.#next === null) throw new Error('the first nonce is not known yet');
    const nonce = this.#next;
    this.#next += 1;
    this.#reserving.add(nonce);
    try {
      return await reserve(nonce);
    } finally {
      this.#reserving.delete(nonce);
    }
  }
}
