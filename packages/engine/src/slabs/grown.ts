// Grows typed arrays by copying: slabs double, so that growth costs constant time per entry on average.

export function grownInt32(array: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(length);
  grown.set(array);
  return grown;
}

export function grownFloat64(array: Float64Array, length: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(length);
  grown.set(array);
  return grown;
}

/** `capacity` doubled until it includes this index. */
export function capacityFor(place: number, capacity: number): number {
  let grown = capacity * 2;
  while (grown <= place) grown *= 2;
  return grown;
}

/**
 * Allocations from this size on are provided by the system page by page as they are touched, and returned as a whole;
 * smaller ones come from a heap that keeps them.
 */
const GIVEN_BY_PAGES = 32 * 1024 * 1024;
/** Below this size, reserving so many addresses is not worthwhile. */
const SMALL = 2 * 1024 * 1024;

/** Like `capacityFor`, for large entries written in sequence: unused capacity takes no memory. */
export function pagedCapacityFor(place: number, capacity: number, entryBytes: number): number {
  const grown = capacityFor(place, capacity);
  return grown * entryBytes < SMALL ? grown : Math.max(grown, Math.ceil(GIVEN_BY_PAGES / entryBytes));
}

/** The first words as bytes. */
export function toBytes(words: Int32Array, count: number): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, 4 * count);
}
