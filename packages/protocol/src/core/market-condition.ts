// The condition and index sets by which the conditional tokens know a market: a condition of its own, or one outcome of
// its event's.
import type { Address, Bytes32 } from './ids.ts';
import { fullIndexSet } from './index-sets.ts';
import type { MarketFacts } from './market.ts';

type Named = Pick<MarketFacts, 'marketId' | 'event'>;

/** The condition whose result decides the market; redemptions name it. */
export function conditionOf({ marketId, event }: Named): Bytes32 {
  return event?.id ?? marketId;
}

/** Index sets of YES and of NO in that condition. NO of an outcome is every other outcome. */
export function indexSetsOf({ event }: Pick<MarketFacts, 'event'>): readonly [yes: bigint, no: bigint] {
  if (event === undefined) return [1n, 2n];
  const yes = 1n << BigInt(event.index);
  return [yes, fullIndexSet(event.count) ^ yes];
}

/**
 * The contract that takes the result from the oracle: the market's own, or its event's for all markets of the event.
 */
export function resolverOf({ contractAddress, event }: Pick<MarketFacts, 'contractAddress' | 'event'>): Address {
  return event?.contractAddress ?? contractAddress;
}
