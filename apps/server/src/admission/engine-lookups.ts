// What admission asks, answered by the engine's durable follower and by the quick markets.
import type { MarketId, OrderAnswer, OrderHash } from '@presage/protocol';
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

export function createKnownOrders(reads: MarketReads): KnownOrders {
  return { find: (hash, signature) => findFirstAnswer(reads, hash, signature) };
}

/** Deciding on a known order only recalls what was answered; the follower knows durable frames only. */
function findFirstAnswer(reads: MarketReads, hash: OrderHash, signature: string): OrderAnswer | undefined {
  const known = reads.order(hash);
  if (known?.signed.signature !== signature) return undefined;
  // Later than anything the follower has seen: what was answered once is recalled whatever the time.
  const command = { ...known.signed, type: 'place-order', timeMs: Number.MAX_SAFE_INTEGER } as const;
  const [output] = reads.decide(command);
  return output?.type === 'order-replayed' ? output.answer : undefined;
}
