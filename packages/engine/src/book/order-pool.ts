// Resting orders in compact form: parallel arrays indexed by slot, shared by all fast books of an engine.

const FIRST_CAPACITY = 1024;

export class OrderPool {
  /** Neighbours in the queue of the level; NONE at its ends. */
  next = new Int32Array(FIRST_CAPACITY);
  previous = new Int32Array(FIRST_CAPACITY);
  level = new Int32Array(FIRST_CAPACITY);
  /** Float64: sizes and sequences are safe integers, past 32 bits. */
  remaining = new Float64Array(FIRST_CAPACITY);
  sequence = new Float64Array(FIRST_CAPACITY);

  /** Doubles until the slot fits, so that growing costs nothing per order in the long run. */
  reserve(slot: number): void {
    if (slot < this.next.length) return;
    let capacity = this.next.length * 2;
    while (capacity <= slot) capacity *= 2;
    this.next = grownInt32(this.next, capacity);
    this.previous = grownInt32(this.previous, capacity);
    this.level = grownInt32(this.level, capacity);
    this.remaining = grownFloat64(this.remaining, capacity);
    this.sequence = grownFloat64(this.sequence, capacity);
  }
}

export function grownInt32(array: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(capacity);
  grown.set(array);
  return grown;
}

export function grownFloat64(array: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(capacity);
  grown.set(array);
  return grown;
}
