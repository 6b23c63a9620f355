// Types of the prices module, and its interface to other modules.
import type { Hex, PriceSourceName } from '@presage/protocol';

/** One price of one asset, exact. */
export interface Price {
  readonly asset: string;
  /** Price with eight decimals. */
  readonly price: number;
  /** Publication time on the service's clock. Strictly increasing within an asset, at most one price a second. */
  readonly timeMs: number;
  readonly source: PriceSourceName;
  readonly simulated: boolean;
}

/** A source's price before it is checked. */
export interface Quote extends Price {
  /** Confidence interval given by the source, with eight decimals. */
  readonly confidence?: number;
}

export function toPrice({ asset, price, timeMs, source, simulated }: Quote): Price {
  return { asset, price, timeMs, source, simulated };
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

export interface PriceSource {
  readonly name: PriceSourceName;
  /** URL of the source's prices of an asset. */
  urlOf(asset: string): string;
  knows(asset: string): boolean;
  start(): void;
  stop(): void;
}
