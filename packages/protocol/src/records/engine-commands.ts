// Commands to the engine. Each carries its time, because the engine has no clock.
import type { Address, MarketId, OrderHash, TransactionHash } from '../core/ids.ts';
import type { MarketFacts } from '../core/market.ts';
import type { SignedOrder } from '../core/order.ts';
import type { MarketResolution } from '../core/resolution.ts';

interface Timed {
  /** Journal time in Unix milliseconds, never lower than that of the previous command. */
  readonly timeMs: number;
}

export interface ListMarket extends Timed {
  readonly type: 'list-market';
  readonly market: MarketFacts;
}

export interface CloseMarket extends Timed {
  readonly type: 'close-market';
  readonly marketId: MarketId;
  readonly reason: MarketCloseReason;
}

export interface PlaceOrder extends Timed, SignedOrder {
  readonly type: 'place-order';
}

export interface CancelOrder extends Timed {
  readonly type: 'cancel-order';
  readonly marketId: MarketId;
  readonly orderHash: OrderHash;
  /** If given, the order is cancelled only if it is this wallet's. */
  readonly trader?: Address;
  readonly reason: CancelReason;
}

export interface CancelOrders extends Timed {
  readonly type: 'cancel-orders';
  readonly trader: Address;
  /** Absent: every market of the partition. */
  readonly marketId?: MarketId;
  /** Absent: every chain. */
  readonly chainId?: number;
  readonly reason: CancelReason;
}

/** Settlement moved a trade forward or back. `failed` has a command of its own, since it repairs the book. */
export interface MoveTrade extends Timed {
  readonly type: 'move-trade';
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly stage: MovedStage;
  readonly settlement?: TradeSettlement;
}

export interface FailTrade extends Timed {
  readonly type: 'fail-trade';
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly faultParty: FaultParty;
  /** Decoded for people: `seller has not approved the conditional tokens`. */
  readonly reason: string;
  readonly settlement?: TradeSettlement;
  /** Only with the chain at fault: the party whose order has no room left on chain, although neither party did anything. */
  readonly overfilled?: TradeParty;
}

/** The whole state of a market's resolution on chain. A market that is still open closes first. */
export interface ChangeResolution extends Timed {
  readonly type: 'change-resolution';
  readonly marketId: MarketId;
  readonly resolution: MarketResolution;
}

/** Removes expired orders and closes expired markets. */
export interface Tick extends Timed {
  readonly type: 'tick';
}

export type EngineCommand =
  | ListMarket
  | CloseMarket
  | PlaceOrder
  | CancelOrder
  | CancelOrders
  | MoveTrade
  | FailTrade
  | ChangeResolution
  | Tick;

export const MARKET_CLOSE_REASONS = ['expired', 'vanished', 'closed_early'] as const;
export type MarketCloseReason = (typeof MARKET_CLOSE_REASONS)[number];

/**
 * A step is written in one frame and applied in one turn. Closings and cancel-alls with more orders take several steps,
 * and an order that would match more resting ones loses its remainder. Some 3 MB, far below the largest frame.
 */
export const EVENTS_PER_STEP = 10_000;

export const CANCEL_REASONS = [
  'user',
  'expired',
  'immediate_or_cancel',
  'self_trade',
  'market_closed',
  'heartbeat_lapsed',
  'insufficient_cover',
  'cancelled_on_chain',
  'settlement_fault',
  'settlement_failed',
  'wallet_blocked',
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

export const TRADE_STAGES = ['matched', 'submitted', 'mined', 'confirmed', 'retrying', 'failed'] as const;
export type TradeStage = (typeof TRADE_STAGES)[number];

/** Stages that a trade can move to: `matched` is where it begins, and failing is a separate event. */
export const MOVED_STAGES = ['submitted', 'mined', 'confirmed', 'retrying'] as const satisfies readonly TradeStage[];
export type MovedStage = Exclude<TradeStage, 'matched' | 'failed'>;

export const TRADE_PARTIES = ['buyer', 'seller'] as const;
export type TradeParty = (typeof TRADE_PARTIES)[number];

export const FAULT_PARTIES = [...TRADE_PARTIES, 'operator', 'chain'] as const;
export type FaultParty = (typeof FAULT_PARTIES)[number];

/** Position of a trade on chain, as far as its stage has it. */
export interface TradeSettlement {
  readonly transactionHash: TransactionHash;
  readonly batchIndex: number;
  readonly isBatch: boolean;
  readonly attempt: number;
  readonly blockNumber?: number;
  readonly blockHash?: TransactionHash;
  /** Shares minted on sale; known once mined. */
  readonly minted?: number;
}
