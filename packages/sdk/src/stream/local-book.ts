// A book rebuilt from the stream: absolute levels, and the hash that verifies it against the service's book.
import { addHash, formatHash, levelHash, subtractHash } from '@presage/protocol/browser';
import type { OrderbookMessage } from '../types.ts';
import type { LevelChange } from './messages.ts';

export interface BookLevel {
  /** Millionths. */
  readonly price: number;
  readonly size: number | bigint;
}

export class LocalBook {
  readonly #outcome: 0 | 1;
  /** Sizes by price; bids first, then asks. */
  readonly #sides: readonly [Map<number, number | bigint>, Map<number, number | bigint>] = [new Map(), new Map()];
  #hash = 0n;
  /** Step of the last applied message. */
  seq: number;

  constructor(outcome: 0 | 1, seq = 0) {
    this.#outcome = outcome;
    this.seq = seq;
  }

  static of({ outcome, bids, asks }: Pick<OrderbookMessage, 'outcome' | 'bids' | 'asks'>, seq: number): LocalBook {
    const book = new LocalBook(outcome, seq);
    for (const { price, size } of bids) book.change({ side: 0, price, size });
    for (const { price, size } of asks) book.change({ side: 1, price, size });
    return book;
  }

  /** Updated per changed level, in constant time. */
  get hash(): string {
    return formatHash(this.#hash);
  }

  /** Best first. */
  get bids(): BookLevel[] {
    return this.#levels(0).sort((a, b) => b.price - a.price);
  }

  get asks(): BookLevel[] {
    return this.#levels(1).sort((a, b) => a.price - b.price);
  }

  change({ side, price: wirePrice, size }: LevelChange): void {
    const price = Number(wirePrice);
    const levels = this.#sides[side];
    this.#hash = subtractHash(this.#hash, levelHash(this.#outcome, side, price, levels.get(price) ?? 0));
    this.#hash = addHash(this.#hash, levelHash(this.#outcome, side, price, size));
    if (BigInt(size) === 0n) levels.delete(price);
    else levels.set(price, size);
  }

  #levels(side: 0 | 1): BookLevel[] {
    return [...this.#sides[side]].map(([price, size]) => ({ price, size }));
  }
}
