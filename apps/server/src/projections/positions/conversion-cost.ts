// What a conversion does to costs: what the shares that went had cost is carried to those that came.
import { countIndexes, hasIndex } from '@presage/protocol';

/** A conversion as one market of the event sees it. */
export interface ConversionPart {
  /** Bit sets of the outcomes of which shares went, and of which shares came. */
  readonly gave: bigint;
  readonly got: bigint;
  /** Collateral that came or, below 0, went. */
  readonly freed: bigint;
  /** The outcome of this market. */
  readonly index: number;
  /** What the shares of this market that went had cost; null until it is computed. */
  readonly costGiven: bigint | null;
  /** What this market's shares brought or cost, as `carriedTo` says; null until all costs are known. */
  readonly carried: bigint | null;
}

/**
 * The rule, for costs that went of C in all and collateral F that came:
 * - C - F is the cost of the shares that came, in equal parts. Where it is below 0 they cost nothing, and F - C is profit of those that went, in
 *   equal parts.
 * - Where no shares came, those that went brought F, in equal parts, as in a merge.
 * - What does not divide evenly goes to the lowest indexes, one unit each.
 *
 * So the sum of costs less profits over the event changes by -F exactly: the money that came out.
 */
export function carriedTo(
  part: Pick<ConversionPart, 'gave' | 'got' | 'freed' | 'index'>,
  costs: ConversionCosts,
): bigint {
  const { gave, got, freed, index } = part;
  if (hasIndex(got, index)) return partOf(positive(costs.all - freed), got, index);
  if (got === 0n) return partOf(freed, gave, index);
  return costs.own + partOf(positive(freed - costs.all), gave, index);
}

interface ConversionCosts {
  /** What all shares that went had cost. */
  readonly all: bigint;
  /** What those of this market had. */
  readonly own: bigint;
}

/** The part of one member of the set, in equal parts; the lowest members take the units that are left. */
function partOf(total: bigint, set: bigint, index: number): bigint {
  const count = countIndexes(set);
  if (count === 0n) return 0n;
  const rank = countIndexes(set & ((1n << BigInt(index)) - 1n));
  const rest = total % count;
  const extra = rank < (rest < 0n ? -rest : rest) ? (rest < 0n ? -1n : 1n) : 0n;
  return total / count + extra;
}

function positive(value: bigint): bigint {
  return value > 0n ? value : 0n;
}
