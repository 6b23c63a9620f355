// What quick markets need of the rest of the service, and nothing more.
import type { Hex, QuickMarketChanged } from '@presage/protocol';

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
  /** Durable, and in the ledger, when it resolves. */
  append(record: QuickMarketChanged): Promise<void>;
}

export interface QuickAsset {
  /** In upper case. */
  readonly asset: string;
  /** The oracle's id of its price. */
  readonly feedId: Hex;
}
