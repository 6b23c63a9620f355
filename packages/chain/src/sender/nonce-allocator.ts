// Gives out nonces one after another and knows which of them are on their way into the journal.

export class NonceAllocator {
  readonly #reserving = new Set<number>();
  #next: number | null;

  constructor(next: number | null) {
    this.#next = next;
  }

  /** The nonce that is given out next; null before the first is known. */
  get next(): number | null {
    return this.#next;
  }

  get isReady(): boolean {
    return this.#next !== null;
  }

  /** The number of nonces taken and not yet durable. */
  get reserving(): number {
    return this.#reserving.size;
  }

  isBeingReserved(nonce: number): boolean {
    return this.#reserving.has(nonce);
  }

  /** The chain has used every nonce below this one, no matter who sent it. Never lowers. */
  raiseTo(chainNonce: number): void {
    this.#next = Math.max(this.#next ?? 0, chainNonce);
  }

  /** The account is another one than before. Nothing may be held. */
  beginAt(chainNonce: number): void {
    this.#next = chainNonce;
  }

  /** Takes a nonce and marks it until the reservation is durable. */
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
