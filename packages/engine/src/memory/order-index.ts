// Orders by hash, as one open table: a look-up reads one place of memory, where a map follows its entries to the text of each key.
import type { OrderHash } from '@presage/protocol/engine-types';

interface Hashed {
  readonly accepted: { readonly orderHash: OrderHash };
}

const FIRST_CAPACITY = 64;
/** Digits of a hash that make its tag: 32 bits. */
const TAG_START = 2;
const TAG_END = 10;

/**
 * Linear probing at most half full. To find hashes that share a place of a large table takes a million trials each, which a graphics card
 * makes in a moment: whoever does not know the seed cannot tell which hashes do.
 */
export class OrderIndex<Order extends Hashed> {
  /** Tag of the order in the same slot; 0 for an empty slot. */
  #tags = new Int32Array(FIRST_CAPACITY);
  #orders: (Order | undefined)[] = emptyPlaces(FIRST_CAPACITY);
  readonly #seed: number;
  #size = 0;
  /** What was last asked for: it is decided about first and changed right after. */
  #found: Order | undefined = undefined;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get size(): number {
    return this.#size;
  }

  get(hash: OrderHash): Order | undefined {
    if (this.#found?.accepted.orderHash === hash) return this.#found;
    const order = this.#orders[this.#placeOf(hash, tagOf(hash, this.#seed))];
    if (order !== undefined) this.#found = order;
    return order;
  }

  /** An order whose hash is there already takes the other's place. */
  add(order: Order): void {
    if (this.#size * 2 >= this.#tags.length) this.#grow();
    const { orderHash } = order.accepted;
    const tag = tagOf(orderHash, this.#seed);
    const at = this.#placeOf(orderHash, tag);
    if (this.#tags[at] === 0) this.#size++;
    this.#tags[at] = tag;
    this.#orders[at] = order;
    if (this.#found?.accepted.orderHash === orderHash) this.#found = undefined;
  }

  delete(hash: OrderHash): void {
    const at = this.#placeOf(hash, tagOf(hash, this.#seed));
    if (this.#tags[at] === 0) return;
    this.#found = undefined;
    this.#size--;
    this.#closeGap(at);
  }

  *values(): Generator<Order> {
    for (const order of this.#orders) if (order !== undefined) yield order;
  }

  /** All of them and nothing where there is none, as they stand now. */
  places(): (Order | undefined)[] {
    return this.#orders.slice();
  }

  /** Where the order is, or the free place where it would go. */
  #placeOf(hash: OrderHash, tag: number): number {
    const tags = this.#tags;
    const mask = tags.length - 1;
    let at = tag & mask;
    while (tags[at] !== 0) {
      if (tags[at] === tag && this.#orders[at]?.accepted.orderHash === hash) return at;
      at = (at + 1) & mask;
    }
    return at;
  }

  /** Moves the following entries up unless they would come before the slot that their tag names. */
  #closeGap(freed: number): void {
    const tags = this.#tags;
    const mask = tags.length - 1;
    let gap = freed;
    for (let at = (gap + 1) & mask; tags[at] !== 0; at = (at + 1) & mask) {
      const isNamedBehindGap = ((at - tags[at]!) & mask) < ((at - gap) & mask);
      if (isNamedBehindGap) continue;
      tags[gap] = tags[at]!;
      this.#orders[gap] = this.#orders[at];
      gap = at;
    }
    tags[gap] = 0;
    this.#orders[gap] = undefined;
  }

  #grow(): void {
    const [tags, orders] = [this.#tags, this.#orders];
    const capacity = tags.length * 2;
    this.#tags = new Int32Array(capacity);
    this.#orders = emptyPlaces(capacity);
    for (let from = 0; from < tags.length; from++) if (tags[from] !== 0) this.#put(tags[from]!, orders[from]);
  }

  #put(tag: number, order: Order | undefined): void {
    const mask = this.#tags.length - 1;
    let at = tag & mask;
    while (this.#tags[at] !== 0) at = (at + 1) & mask;
    this.#tags[at] = tag;
    this.#orders[at] = order;
  }
}

function emptyPlaces<Order>(capacity: number): (Order | undefined)[] {
  return new Array<Order | undefined>(capacity).fill(undefined);
}

/** Never 0. A digit's code ends in its value, a letter's in nine less than that. */
export function tagOf(hash: OrderHash, seed: number): number {
  let bits = 0;
  for (let at = TAG_START; at < TAG_END; at++) {
    const code = hash.charCodeAt(at);
    bits = (bits << 4) | ((code & 15) + (code >> 6) * 9);
  }
  const tag = mix(mix(bits ^ seed) ^ Math.imul(seed, SPREAD));
  return tag === 0 ? 1 : tag;
}

const SPREAD = 0x9e3779b1;

/** The end of MurmurHash3: each bit changes about half of the others, and no two numbers become one. */
function mix(bits: number): number {
  let mixed = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
