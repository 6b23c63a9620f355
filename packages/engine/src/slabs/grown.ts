// Typed arrays that take over what a smaller one held: slabs double, so that growing costs nothing per entry in the long run.

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

/** The smallest doubling of `capacity` that has a place with this number. */
export function capacityFor(place: number, capacity: number): number {
  let grown = capacity * 2;
  while (grown <= place) grown *= 2;
  return grown;
}

/** So much the system gives page by page, as it is touched, and takes back as a whole; less comes out of a heap that keeps it. */
const GIVEN_BY_PAGES = 32 * 1024 * 1024;
/** What is smaller is not worth as many addresses. */
const SMALL = 2 * 1024 * 1024;

/** The same for large entries that are written one after another: what is ahead of need takes no memory. */
export function pagedCapacityFor(place: number, capacity: number, entryBytes: number): number {
  const grown = capacityFor(place, capacity);
  return grown * entryBytes < SMALL ? grown : Math.max(grown, Math.ceil(GIVEN_BY_PAGES / entryBytes));
}

/** The memory of the first words. */
export function toBytes(words: Int32Array, count: number): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, 4 * count);
}
