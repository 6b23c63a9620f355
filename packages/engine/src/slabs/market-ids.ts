// The ids of all markets as words, and the look-up of a market by id.
import { type MarketId, toHex } from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { capacityFor, grownInt32 } from './grown.ts';
import { HandleTable } from './handle-table.ts';
import { HASH_BYTES, HASH_WORDS, putHex } from './order-record.ts';
import { tagOf } from './tags.ts';

const FIRST_CAPACITY = 16;

export class MarketIds {
  words = new Int32Array(FIRST_CAPACITY * HASH_WORDS);
  bytes = new Uint8Array(this.words.buffer);
  #table = new HandleTable();
  readonly #seed: number;
  /** Cache of the last result: most commands are about few markets. */
  #found = NONE;

  constructor(seed: number) {
    this.#seed = seed;
  }

  id(market: number): MarketId {
    return toHex(this.bytes, market * HASH_BYTES, (market + 1) * HASH_BYTES);
  }

  copy(): MarketIds {
    const copy = new MarketIds(this.#seed);
    copy.#use(this.words.slice());
    copy.#table = this.#table.copy();
    return copy;
  }

  /** Restores the ids from their words. */
  static ofImage(words: Int32Array<ArrayBuffer>, seed: number): MarketIds {
    const ids = new MarketIds(seed);
    if (words.length === 0) return ids;
    ids.#use(words);
    const count = words.length / HASH_WORDS;
    ids.#table.reserve(count);
    for (let market = 0; market < count; market++) ids.#table.add(tagOf(words[market * HASH_WORDS]!, seed), market);
    return ids;
  }

  add(market: number, id: string): void {
    const capacity = this.words.length / HASH_WORDS;
    if (market >= capacity) {
      this.#use(grownInt32(this.words, capacityFor(market, capacity) * HASH_WORDS));
    }
    putHex(this.bytes, market * HASH_BYTES, id, HASH_BYTES);
    this.#table.add(tagOf(this.words[market * HASH_WORDS]!, this.#seed), market);
  }

  /** The number of the market whose id is in `words` at `at`; NONE if there is none. */
  find(words: Int32Array, at: number): number {
    if (this.#found !== NONE && this.#isSame(this.#found, words, at)) return this.#found;
    const tag = tagOf(words[at]!, this.#seed);
    for (let place = this.#table.first(tag); place !== NONE; place = this.#table.next(place, tag)) {
      const market = this.#table.handle(place);
      if (!this.#isSame(market, words, at)) continue;
      this.#found = market;
      return market;
    }
    return NONE;
  }

  #use(words: Int32Array<ArrayBuffer>): void {
    this.words = words;
    this.bytes = new Uint8Array(words.buffer);
  }

  #isSame(market: number, words: Int32Array, at: number): boolean {
    const own = this.words;
    const from = market * HASH_WORDS;
    for (let word = 0; word < HASH_WORDS; word++) if (own[from + word] !== words[at + word]) return false;
    return true;
  }
}
