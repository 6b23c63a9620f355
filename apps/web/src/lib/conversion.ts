// Which NO shares of an event to convert: those that free the most money at once.

export interface HeldNo {
  /** Place of the outcome in its event. */
  readonly index: number;
  readonly shares: bigint;
}

export interface Conversion {
  /** Outcomes whose NO is given, in order. */
  readonly indexes: readonly number[];
  /** NO given of each, and YES got of every other outcome, in millionths of a share. */
  readonly amount: bigint;
  /** Stablecoin units: the amount for every NO but one. */
  readonly freed: bigint;
}

/** Undefined where no money would be freed: it takes NO of two outcomes. */
export function bestConversion(held: readonly HeldNo[]): Conversion | undefined {
  const most = held.filter(({ shares }) => shares > 0n).toSorted((a, b) => (a.shares < b.shares ? 1 : -1));
  let best: Conversion | undefined;
  for (let count = 2; count <= most.length; count++) {
    // Of the largest holdings, the smallest is what all of them have.
    const amount = most[count - 1]!.shares;
    const freed = amount * BigInt(count - 1);
    const indexes = most.slice(0, count).map(({ index }) => index);
    if (best === undefined || freed > best.freed) best = { indexes, amount, freed };
  }
  return best && { ...best, indexes: best.indexes.toSorted((a, b) => a - b) };
}
