// Sets of an event's outcomes as bits of one number, the first outcome lowest: the index sets of the conditional tokens.

/** All outcomes of an event. */
export function fullIndexSet(count: number): bigint {
  return (1n << BigInt(count)) - 1n;
}

export function toIndexSet(indexes: readonly number[]): bigint {
  return indexes.reduce((set, index) => set | (1n << BigInt(index)), 0n);
}

export function hasIndex(set: bigint, index: number): boolean {
  return ((set >> BigInt(index)) & 1n) === 1n;
}

export function countIndexes(set: bigint): bigint {
  let count = 0n;
  for (let rest = set; rest > 0n; rest &= rest - 1n) count++;
  return count;
}
