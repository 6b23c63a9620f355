// Seeded randomness: the same seed draws the same values.
import { type Hex, keysOf } from '@presage/protocol';

/** sfc32 (Small Fast Counter, 128 bits of state): passes PractRand, four lines, no multiplication. */
export class SeededRandom {
  readonly seed: number;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.seed = seed;
    this.#a = 0;
    this.#b = seed | 0;
    this.#c = Math.floor(seed / 2 ** 32) | 0;
    // Twelve rounds, as its author recommends, spread a small seed over the whole state.
    for (let round = 0; round < 12; round++) this.uint32();
  }

  uint32(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** From 0 inclusive to 1 exclusive, with 53 bits. */
  fraction(): number {
    return (this.uint32() * 2 ** 21 + (this.uint32() >>> 11)) / 2 ** 53;
  }

  /** From `from` to `to`, both inclusive. */
  int(from: number, to: number): number {
    return from + Math.floor(this.fraction() * (to - from + 1));
  }

  /** From 0 inclusive to `limit` exclusive. */
  below(limit: number): number {
    return this.int(0, limit - 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from');
    return items[this.int(0, items.length - 1)]!;
  }

  /** Draws a name by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = keysOf(weights).map((name) => [name, weights[name]] as const);
    let left = this.fraction() * entries.reduce((total, [, weight]) => total + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries.at(-1)![0];
  }

  bigint64(): bigint {
    return (BigInt(this.uint32()) << 32n) | BigInt(this.uint32());
  }

  /** `0x` and that many random bytes. */
  hex(bytes: number): Hex {
    let text = '';
    while (text.length < bytes * 2) text += this.uint32().toString(16).padStart(8, '0');
    return `0x${text.slice(0, bytes * 2)}`;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.int(0, last);
      [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
    }
    return shuffled;
  }
}
