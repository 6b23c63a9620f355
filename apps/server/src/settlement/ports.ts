// What settlement needs of the rest of the service, and nothing more.
import type { OrderView, TradeView } from '@presage/engine';
import type { BatchRecord } from '@presage/protocol';

export interface BatchJournal {
  append(record: BatchRecord): Promise<void>;
}

/** Wallets whose fills wait until a permit is mined. */
export interface WalletHolds {
  held(): Iterable<string>;
  /** Called when the fills of a wallet no longer wait. */
  onReleased(listener: () => void): void;
}

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
