// The hash of a fast book, updated per level, and only once it has been requested.
import { addHash, levelHash, type Outcome, type Side, subtractHash } from '@presage/protocol/engine-types';
import type { Book } from './book.ts';

const SIDE_BIT = 1 << 20;

/**
 * The host's engine never requests the hash and pays one comparison per change. A follower requests it after every step
 * and pays one SHA-256 per changed level. Each level's last contribution is stored, so that it can be subtracted.
 */
export class TrackedHash {
  readonly #outcome: Outcome;
  readonly #parts = new Map<number, bigint>();
  readonly #changed = new Set<number>();
  #sum = 0n;
  #isTracking = false;

  constructor(outcome: Outcome) {
    this.#outcome = outcome;
  }

  touch(side: Side, price: number): void {
    if (this.#isTracking) this.#changed.add(side === 0 ? price : price | SIDE_BIT);
  }

  read(book: Book): bigint {
    if (!this.#isTracking) this.#startTracking(book);
    for (const key of this.#changed) this.#refresh(key, book);
    this.#changed.clear();
    return this.#sum;
  }

  #startTracking(book: Book): void {
    this.#isTracking = true;
    for (const side of [0, 1] as const) {
      for (const level of book.levels(side)) this.touch(side, level.price);
    }
  }

  #refresh(key: number, book: Book): void {
    const side: Side = (key & SIDE_BIT) === 0 ? 0 : 1;
    const price = key & (SIDE_BIT - 1);
    const part = levelHash(this.#outcome, side, price, book.levelSize(side, price));
    this.#sum = addHash(subtractHash(this.#sum, this.#parts.get(key) ?? 0n), part);
    if (part === 0n) this.#parts.delete(key);
    else this.#parts.set(key, part);
  }
}
