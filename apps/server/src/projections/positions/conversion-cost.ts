// Cost rule of conversions: the cost of the shares given is carried to the shares received.
import { countIndexes, hasIndex } from '@presage/protocol';

/** A conversion from the point of view of one market of the event. */
export interface ConversionPart {
  /** Bit sets of the outcomes whose shares were given and received. */
  readonly gave: bigint;
  readonly got: bigint;
  /** Collateral received; below 0, collateral paid. */
  readonly freed: bigint;
  /** This market's outcome. */
  readonly index: number;
  /** Cost of the shares given in this market; null until computed. */
  readonly costGiven: bigint | null;
  /** Proceeds or cost of this market's shares, by the rule of `carriedTo`; null until all costs are known. */
  readonly carried: bigint | null;
}

/**
 * The rule, for shares given that had cost C in total and collateral F received:
 * - The shares received cost C - F, in equal parts. If that is below 0 they cost nothing, and F - C is profit of the
 *   shares given, in equal parts.
 * - If no shares were received, those given bring F, in equal parts, as in a merge.
 * - Indivisible units go to the lowest indexes, one each.
 *
 * So over the event, the sum of costs less profits changes by exactly -F, the money that came out.
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
  /** Cost of all shares given. */
  readonly all: bigint;
  /** Cost of those given in this market. */
  readonly own: bigint;
}

/** One member's equal part of the total; the lowest members get the indivisible units. */
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
