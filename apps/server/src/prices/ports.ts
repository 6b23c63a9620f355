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
  /** The URL that is asked for an asset. */
  urlOf(asset: string): string;
  knows(asset: string): boolean;
  start(): void;
  stop(): void;
}
