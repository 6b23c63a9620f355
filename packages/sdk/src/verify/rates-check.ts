// The fee rates of every market against those that the settlement contract announced when it was made.
import { type FeeRates, type MarketFacts, type MarketId, toFeeRates, toLowerHex } from '@presage/protocol';
import type { BlockSpan, ChainReads } from './chain-reads.ts';
import { Violation } from './checks/violation.ts';
import { topicOf } from './event-topic.ts';
import { wordOf } from './settled-fills.ts';

const FEES_FIXED = topicOf('MarketFeesFixed(bytes32,uint16,uint16)');

interface RatesCheckOptions extends BlockSpan {
  readonly markets: readonly MarketFacts[];
  /** Whether the rates of the market have charged nobody and never will: then the chain need not have it any more. */
  readonly isUnused: (marketId: MarketId) => boolean;
}

/** The contract announces rates in the transaction that creates the market, and never changes them. */
export async function checkRates(chain: ChainReads, options: RatesCheckOptions): Promise<void> {
  const { markets, isUnused, ...span } = options;
  const fixed = new Map<MarketId, FeeRates>();
  for (const address of new Set(markets.map(({ settlementAddress }) => settlementAddress))) {
    for await (const { topics, data } of chain.logs({ address, topic: FEES_FIXED, ...span })) {
      fixed.set(toLowerHex(topics[1]!), toFeeRates(Number(wordOf(data, 0)), Number(wordOf(data, 1))));
    }
  }
  for (const { marketId, blockNumber, feeRateBps = 0, makerShareBps = 0 } of markets) {
    const onChain = fixed.get(marketId) ?? {};
    const isSame = (onChain.feeRateBps ?? 0) === feeRateBps && (onChain.makerShareBps ?? 0) === makerShareBps;
    const isGone = !fixed.has(marketId) && isUnused(marketId);
    if (isSame || isGone || blockNumber > span.toBlock) continue;
    const detail = `${toText({ feeRateBps, makerShareBps })} in the journal, ${toText(onChain)} on chain`;
    throw new Violation('rates_differ', `market ${marketId}: ${detail}`);
  }
}

function toText({ feeRateBps = 0, makerShareBps = 0 }: FeeRates): string {
  return `${feeRateBps} of 10,000 with ${makerShareBps} of 10,000 for the maker`;
}
