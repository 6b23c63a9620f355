// What admission asks, answered by the engine's durable follower and by the quick markets.
import type { MarketId } from '@presage/protocol';
import type { MarketReads } from '../host/ports.ts';
import type { AdmissionMarket, KnownOrders, MarketLookup } from './ports.ts';

export interface PricedMarkets {
  /** Whether a quick market's price is known well enough to trade on. */
  isPriced(marketId: MarketId): boolean;
}

/** The quick markets of a chain, where it has any. */
export type FindQuick = (chainId: number) => PricedMarkets | undefined;

export function createMarketLookup(reads: MarketReads, findQuick: FindQuick): MarketLookup {
  return { find: (marketId) => findMarket(reads, findQuick, marketId) };
}

function findMarket(reads: MarketReads, findQuick: FindQuick, marketId: MarketId): AdmissionMarket | undefined {
  const market = reads.market(marketId);
  if (market === undefined) return undefined;
  const { chainId, expiration, kind, contractAddress } = market.facts;
  const isUnpriced = kind === 'quick' && !findQuick(chainId)?.isPriced(marketId);
  return { chainId, status: market.status, expiration, contractAddress, isUnpriced };
}

/** The follower knows durable frames only. */
export function createKnownOrders(reads: MarketReads): KnownOrders {
  return { find: (signed) => reads.firstAnswer(signed) };
}
