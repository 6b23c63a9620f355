// Picks the NO shares of an event whose conversion frees the most money.

export interface HeldNo {
  /** Index of the outcome in its event. */
  readonly index: number;
  readonly shares: bigint;
}

export interface Conversion {
  /** Outcomes whose NO is converted, sorted. */
  readonly indexes: readonly number[];
  /** NO shares converted of each outcome, and YES shares received of every other one, in millionths. */
  readonly amount: bigint;
  /** Freed money in stablecoin units: the amount, for every converted outcome but one. */
  readonly freed: bigint;
}

/** Undefined if no money would be freed, which takes NO of at least two outcomes. */
export function bestConversion(held: readonly HeldNo[]): Conversion | undefined {
  const most = held.filter(({ shares }) => shares > 0n).toSorted((a, b) => (a.shares < b.shares ? 1 : -1));
  let best: Conversion | undefined;
  for (let count = 2; count <= most.length; count++) {
    // The smallest of the `count` largest holdings is the amount that all of them have.
    const amount = most[count - 1]!.shares;
    const freed = amount * BigInt(count - 1);
    const indexes = most.slice(0, count).map(({ index }) => index);
    if (best === undefined || freed > best.freed) best = { indexes, amount, freed };
  }
  return best && { ...best, indexes: best.indexes.toSorted((a, b) => a - b) };
}
