// What settlement needs of the rest of the service, and nothing more.
import type { OrderView, TradeView } from '@presage/engine';

/** Gives wallets what they lack before a fill settles; only a sandbox does. */
export interface WalletPreparation {
  /** Answers the wallets about which something was assumed that was read from the chain earlier. */
  prepare(fills: readonly PlannedFill[]): Promise<ReadonlySet<string>>;
  /** Next time nothing is assumed about these wallets. */
  invalidate(wallets: readonly string[]): void;
}

/** A trade with both of its orders, ready to be encoded. */
export interface PlannedFill {
  readonly trade: TradeView;
  readonly buy: OrderView;
  readonly sell: OrderView;
}
