// What quick markets need of the rest of the service, and nothing more.
import type { Hex, MarketFacts, MarketId, QuickMarketChanged } from '@presage/protocol';

/** The primary's signed price at a boundary; fallbacks never decide. */
export interface BoundaryUpdate {
  readonly price: bigint;
  readonly expo: number;
  readonly publishTime: number;
  readonly payload: Hex;
}

export interface QuickPrices {
  /** Undefined while there is none, or while the primary is unreachable: ask again. */
  boundaryUpdate(asset: string, timeSeconds: number): Promise<BoundaryUpdate | undefined>;
  /** Some source has given a good price lately, since this start. */
  isFresh(asset: string): boolean;
}

export interface QuickJournal {
  /** Durable when it resolves. */
  append(record: QuickMarketChanged): Promise<void>;
}

export interface QuickListings {
  isListed(marketId: MarketId): boolean;
  /** Durable when it resolves; a market that is listed already stays as it is. */
  list(market: MarketFacts): Promise<void>;
}

/** The numbers of the windows that were opened. */
export interface QuickIds {
  /** The highest that was ever given here. */
  raise(id: number): void;
  /** Taken at once, so that two windows that open together never share it. */
  take(): number;
}

export interface QuickAsset {
  /** In upper case. */
  readonly asset: string;
  /** The oracle's id of its price. */
  readonly feedId: Hex;
}
