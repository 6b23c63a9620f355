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
 * Linear probing at most half full. A tag is part of a hash that nobody chooses: to give a thousand orders one tag takes 2^32 trials for
 * each of them, and then a look-up compares a thousand texts.
 */
export class OrderIndex<Order extends Hashed> {
  /** Of the order in the same place; 0 where there is none. */
  #tags = new Int32Array(FIRST_CAPACITY);
  #orders: (Order | undefined)[] = emptyPlaces(FIRST_CAPACITY);
  #size = 0;
  /** What was last asked for: it is decided about first and changed right after. */
  #found: Order | undefined = undefined;

  get size(): number {
    return this.#size;
  }

  get(hash: OrderHash): Order | undefined {
    if (this.#found?.accepted.orderHash === hash) return this.#found;
    const order = this.#orders[this.#placeOf(hash, tagOf(hash))];
    if (order !== undefined) this.#found = order;
    return order;
  }

  /** An order whose hash is there already takes the other's place. */
  add(order: Order): void {
    if (this.#size * 2 >= this.#tags.length) this.#grow();
    const { orderHash } = order.accepted;
    const tag = tagOf(orderHash);
    const at = this.#placeOf(orderHash, tag);
    if (this.#tags[at] === 0) this.#size++;
    this.#tags[at] = tag;
    this.#orders[at] = order;
    if (this.#found?.accepted.orderHash === orderHash) this.#found = undefined;
  }

  delete(hash: OrderHash): void {
    const at = this.#placeOf(hash, tagOf(hash));
    if (this.#tags[at] === 0) return;
    this.#found = undefined;
    this.#size--;
    this.#closeGap(at);
  }

  *values(): Generator<Order> {
    for (const order of this.#orders) if (order !== undefined) yield order;
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

  /** Those behind move up unless they would come before the place that their tag names. */
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
function tagOf(hash: OrderHash): number {
  let tag = 0;
  for (let at = TAG_START; at < TAG_END; at++) {
    const code = hash.charCodeAt(at);
    tag = (tag << 4) | ((code & 15) + (code >> 6) * 9);
  }
  return tag === 0 ? 1 : tag;
}
