// Compares the fee rates of every market with those that the settlement contract announced at its creation.
import type { FeeRates, MarketFacts, MarketId } from '@presage/protocol';
import { Violation } from './checks/violation.ts';

interface RatesCheckOptions {
  /** The last block that was read. */
  readonly toBlock: number;
  readonly markets: readonly MarketFacts[];
  /** Whether the market has settled nothing and never will: then the chain need not have its rates any more. */
  readonly isUnused: (marketId: MarketId) => boolean;
}

/** The contract announces rates in the transaction that creates the market, and never changes them. */
export function checkRates(fixed: ReadonlyMap<MarketId, FeeRates>, options: RatesCheckOptions): void {
  const { markets, toBlock, isUnused } = options;
  for (const { marketId, blockNumber, feeRateBps = 0, makerShareBps = 0 } of markets) {
    const onChain = fixed.get(marketId) ?? {};
    const isSame = (onChain.feeRateBps ?? 0) === feeRateBps && (onChain.makerShareBps ?? 0) === makerShareBps;
    const isGone = !fixed.has(marketId) && isUnused(marketId);
    if (isSame || isGone || blockNumber > toBlock) continue;
    const detail = `${toText({ feeRateBps, makerShareBps })} in the journal, ${toText(onChain)} on chain`;
    throw new Violation('rates_differ', `market ${marketId}: ${detail}`);
  }
}

function toText({ feeRateBps = 0, makerShareBps = 0 }: FeeRates): string {
  return `${feeRateBps} of 10,000 with ${makerShareBps} of 10,000 for the maker`;
}
