// What settlement needs of the rest of the service, and nothing more.
import type { OrderView, TradeView } from '@presage/engine';
import type { BatchRecord, FaultParty, MarketId, OrderHash, TradeSettlement, TradeStage } from '@presage/protocol';

/** Durable state only: what is sent to the chain must never rest on a frame that could vanish. */
export interface SettlementReads {
  unsettledTrades(): TradeView[];
  trade(marketId: MarketId, tradeId: string): TradeView | undefined;
  order(hash: OrderHash): OrderView | undefined;
}

/** One trade to another stage, or to its end with the party at fault. */
export interface TradeChange {
  readonly trade: TradeView;
  readonly to: Exclude<TradeStage, 'matched' | 'failed'> | TradeFault;
  readonly settlement?: TradeSettlement;
}

export interface TradeCommands {
  /** In one durable write, in this order. */
  changeTrades(changes: readonly TradeChange[]): Promise<void>;
}

export interface TradeFault {
  readonly faultParty: FaultParty;
  readonly reason: string;
}

export interface BatchJournal {
  append(record: BatchRecord): Promise<void>;
}

/** Wallets whose fills wait for something else that is on its way: a permit. */
export interface WalletHolds {
  held(): Iterable<string>;
  /** Called when a wallet may go on. */
  onReleased(listener: () => void): void;
}

/** Gives wallets what they lack before a fill settles: the sandbox's courtesy; live services have none. */
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
