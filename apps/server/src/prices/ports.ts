// The types of the prices module, and what it offers to other modules.
import type { Hex, PriceSourceName } from '@presage/protocol';

/** One price of one asset, exact. */
export interface Price {
  readonly asset: string;
  /** With eight decimals. */
  readonly price: number;
  /** When its source published it, on the service's clock. Strictly rising within an asset, at most one a second. */
  readonly timeMs: number;
  readonly source: PriceSourceName;
  readonly simulated: boolean;
}

/** What a source says, before the rules have judged it. */
export interface Quote extends Price {
  /** How far off the source itself thinks it may be, with eight decimals. */
  readonly confidence?: number;
}

/** The primary's signed price at a boundary: prevPublishTime < t <= publishTime <= t + 60, provable on chain. */
export interface BoundaryUpdate {
  /** In units of 10^expo, as the contract sees it. */
  readonly price: bigint;
  readonly expo: number;
  /** Unix seconds. */
  readonly publishTime: number;
  readonly prevPublishTime: number;
  /** What the oracle contract takes as its update data. */
  readonly payload: Hex;
}

/** The state of one asset's prices, for the operator. */
export interface FeedState {
  readonly asset: string;
  readonly isFresh: boolean;
  /** Of the last price of this run; undefined before the first. */
  readonly ageMs: number | undefined;
  readonly last: Price | undefined;
}

/** For quick markets and for admission. */
export interface PriceOracle {
  /** Undefined while there is none, or while the primary is unreachable: ask again. Fallbacks never decide. */
  boundaryUpdate(asset: string, timeSeconds: number): Promise<BoundaryUpdate | undefined>;
  /** Some source has given a good price lately, since this start. */
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
