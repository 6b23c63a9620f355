// Mirrors the book of one outcome as its readers have received it, with the JSON text for snapshots.
import type { Level } from '@presage/engine';
import { BUY, type Side } from '@presage/protocol';

interface MirroredLevel {
  readonly price: number;
  readonly size: number | bigint;
  readonly text: string;
}

export interface LevelChange {
  readonly side: Side;
  readonly price: number;
  /** Absolute size; 0 removes the level. */
  readonly size: number | bigint;
}

export class BookMirror {
  readonly #sides: readonly [LevelList, LevelList];

  constructor(bids: readonly Level[], asks: readonly Level[]) {
    this.#sides = [new LevelList(BUY, bids), new LevelList(1, asks)];
  }

  /** Applies a change; returns whether the level differs from before. */
  change({ side, price, size }: LevelChange): boolean {
    return this.#sides[side].set(price, size);
  }

  /** Levels of a side as JSON, best first. */
  levels(side: Side): string {
    return this.#sides[side].text();
  }
}

class LevelList {
  /** 1 if lower prices come first. */
  readonly #direction: 1 | -1;
  readonly #levels: MirroredLevel[];
  #text: string | undefined;

  constructor(side: Side, levels: readonly Level[]) {
    this.#direction = side === BUY ? -1 : 1;
    this.#levels = levels.map(({ price, size }) => toMirrored(price, size));
  }

  set(price: number, size: number | bigint): boolean {
    const at = this.#find(price);
    const isThere = this.#levels[at]?.price === price;
    const before = isThere ? this.#levels[at]!.size : 0;
    if (before === size) return false;
    this.#text = undefined;
    if (size === 0) this.#levels.splice(at, 1);
    else this.#levels.splice(at, isThere ? 1 : 0, toMirrored(price, size));
    return true;
  }

  text(): string {
    this.#text ??= `[${this.#levels.map(({ text }) => text).join(',')}]`;
    return this.#text;
  }

  /** Index of the price, or the index at which to insert it. */
  #find(price: number): number {
    let [low, high] = [0, this.#levels.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#levels[middle]!.price - price) * this.#direction < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function toMirrored(price: number, size: number | bigint): MirroredLevel {
  return { price, size, text: `{"price":${price},"size":${size}}` };
}
