// The types of the prices module, and what it offers to other modules.
import type { Hex, PriceSourceName } from '@presage/protocol';

/** One price of one asset, exact. */
export interface Price {
  readonly asset: string;
  /** Price with eight decimals. */
  readonly price: number;
  /** Time of publication on the service's clock. Strictly rising within an asset, at most one a second. */
  readonly timeMs: number;
  readonly source: PriceSourceName;
  readonly simulated: boolean;
}

/** An unchecked price of a source. */
export interface Quote extends Price {
  /** Confidence interval of the source, with eight decimals. */
  readonly confidence?: number;
}

/** The primary's signed price at a boundary: prevPublishTime < t <= publishTime <= t + 60, provable on chain. */
export interface BoundaryUpdate {
  /** Price in units of 10^expo, as the contract reads it. */
  readonly price: bigint;
  readonly expo: number;
  /** Unix seconds. */
  readonly publishTime: number;
  readonly prevPublishTime: number;
  /** Update data for the oracle contract. */
  readonly payload: Hex;
}

/** The state of one asset's prices, for the operator. */
export interface FeedState {
  readonly asset: string;
  readonly isFresh: boolean;
  /** Age of the last price of this run; undefined before the first. */
  readonly ageMs: number | undefined;
  readonly last: Price | undefined;
}

/** Prices as quick markets and admission use them. */
export interface PriceOracle {
  /** Undefined while there is none or the primary is unreachable; retry later. Fallbacks are never used. */
  boundaryUpdate(asset: string, timeSeconds: number): Promise<BoundaryUpdate | undefined>;
  /** Whether some source gave a good price recently, since the start. */
  isFresh(asset: string): boolean;
  /** Called when an asset becomes stale or fresh again. */
  onFreshness(listener: (asset: string, isFresh: boolean) => void): () => void;
}

export interface PriceSource {
  readonly name: PriceSourceName;
  /** The URL that is asked for an asset. */
  urlOf(asset: string): string;
  knows(asset: string): boolean;
  start(): void;
  stop(): void;
}
