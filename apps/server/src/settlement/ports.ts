// Types that settlement shares with the rest of the service.
import type { OrderView, TradeView } from '@presage/engine';

/** Tops up wallets before a fill settles; only in a sandbox. */
export interface WalletPreparation {
  /** Returns the wallets for which cached chain state was used. */
  prepare(fills: readonly PlannedFill[]): Promise<ReadonlySet<string>>;
  /** Drops cached state of these wallets. */
  invalidate(wallets: readonly string[]): void;
}

/** A trade with both of its orders, ready to be encoded. */
export interface PlannedFill {
  readonly trade: TradeView;
  readonly buy: OrderView;
  readonly sell: OrderView;
}
