// Fee rates of markets, as the settlement contract fixes them once for each.
import { presageSettlementAbi as abi } from '@presage/contracts';
import { type Address, type FeeRates, type Hex, toFeeRates, toLowerHex } from '@presage/protocol';
import { decodeEventLog, encodeEventTopics } from 'viem';
import type { WatchedLog } from './log-reader.ts';

const eventName = 'MarketFeesFixed';
export const FEES_FIXED: Hex = encodeEventTopics({ abi, eventName })[0];

/**
 * Fee rates of each market. The settlement announces them when a factory registers the market, and no other market of
 * the same id can be registered again.
 */
export function readMarketFees(logs: readonly WatchedLog[], settlement: Address): Map<Hex, FeeRates> {
  const fixed = logs.filter(({ address, topics }) => topics[0] === FEES_FIXED && toLowerHex(address) === settlement);
  return new Map(
    fixed.map(({ topics, data }) => {
      const { args } = decodeEventLog({ abi, eventName, topics: [FEES_FIXED, ...topics.slice(1)], data });
      return [args.marketId, toFeeRates(args.feeRateBps, args.makerShareBps)];
    }),
  );
}
