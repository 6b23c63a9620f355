// Decisions of the engine. The first group is journalled; refusals and replays are answers only.
import type { ErrorCode } from '../core/errors.ts';
import type { FillFees } from '../core/fees.ts';
import type { Address, MarketId, OrderHash } from '../core/ids.ts';
import type { MarketFacts } from '../core/market.ts';
import type { Outcome, Side, SignedOrder } from '../core/order.ts';
import type { MarketResolution } from '../core/resolution.ts';
import type { Price, Size } from '../core/units.ts';
import type {
  CancelReason,
  FaultParty,
  MarketCloseReason,
  MovedStage,
  TradeParty,
  TradeSettlement,
} from './engine-commands.ts';

interface Step {
  readonly marketId: MarketId;
  /** Step number of the market: all events of one command in one market share it; the next command's is one higher. */
  readonly step: number;
  readonly timeMs: number;
}

export interface MarketListed extends Step {
  readonly type: 'market-listed';
  readonly market: MarketFacts;
}

export interface MarketClosed extends Step {
  readonly type: 'market-closed';
  readonly reason: MarketCloseReason;
}

/** Puts the whole size on the book; fills and cancels of the same step then take from it. */
export interface OrderAccepted extends Step, SignedOrder {
  readonly type: 'order-accepted';
}

/** Fee and rebate are absent where they are 0: the engine computes them from the market's rates. */
export interface TradeMatched extends Step, FillFees {
  readonly type: 'trade-matched';
  readonly tradeId: string;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly takerSide: Side;
  readonly makerHash: OrderHash;
  readonly takerHash: OrderHash;
  readonly maker: Address;
  readonly taker: Address;
}

export interface OrderCancelled extends Step {
  readonly type: 'order-cancelled';
  readonly orderHash: OrderHash;
  readonly trader: Address;
  readonly outcome: Outcome;
  readonly side: Side;
  readonly price: Price;
  /** Size taken off the book; 0 when a filled order is only barred from being restored. */
  readonly remainingSize: number;
  readonly reason: CancelReason;
}

/** An order without fault got back the size of a failed fill, at its original time priority. */
export interface OrderRestored extends Step {
  readonly type: 'order-restored';
  readonly orderHash: OrderHash;
  readonly size: Size;
  readonly tradeId: string;
}

export interface TradeMoved extends Step {
  readonly type: 'trade-moved';
  readonly tradeId: string;
  readonly stage: MovedStage;
  readonly settlement?: TradeSettlement;
}

export interface TradeFailed extends Step {
  readonly type: 'trade-failed';
  readonly tradeId: string;
  /** Absent in records before version 6, as is the seller. */
  readonly buyer?: Address;
  readonly seller?: Address;
  readonly faultParty: FaultParty;
  readonly reason: string;
  readonly settlement?: TradeSettlement;
  /** The party whose order ended because it was already filled on chain; the order of the other party was restored. */
  readonly overfilled?: TradeParty;
}

/** Carries the whole state: the newest event counts, regardless of earlier ones. */
export interface ResolutionChanged extends Step {
  readonly type: 'resolution-changed';
  readonly resolution: MarketResolution;
}

export type EngineEvent =
  | MarketListed
  | MarketClosed
  | OrderAccepted
  | TradeMatched
  | OrderCancelled
  | OrderRestored
  | TradeMoved
  | TradeFailed
  | ResolutionChanged;

/**
 * First byte of events in binary form, written by the record codec (hot-records.ts) and by the engine itself. A layout
 * never changes: a new field is announced by a flag that no older record has, or gets a new tag.
 */
export const HOT_TAGS = { 'order-accepted': 1, 'trade-matched': 2, 'order-cancelled': 3, 'trade-moved': 4 } as const;
/** Flags of a trade with a fee: the fee follows and, with the second flag, the maker's rebate. */
export const FEE_FLAG = 4;
export const REBATE_FLAG = 8;

export interface CommandRefused {
  readonly type: 'command-refused';
  readonly code: ErrorCode;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The same signed order came again; carries the answer to the first one. */
interface OrderReplayed {
  readonly type: 'order-replayed';
  readonly answer: OrderAnswer;
}

export type EngineOutput = EngineEvent | CommandRefused | OrderReplayed;

export const ORDER_STATUSES = ['open', 'filled', 'cancelled', 'expired'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

interface FirstTrade extends Pick<FillFees, 'fee'> {
  /** Sequence of its match in the journal. */
  readonly id: number;
  readonly tradeId: string;
  readonly price: Price;
  readonly size: Size;
}

/** The answer to submitting an order, fixed at its first step. */
export interface OrderAnswer {
  readonly orderHash: OrderHash;
  readonly timeMs: number;
  readonly matches: number;
  readonly filledSize: number;
  readonly remainingSize: number;
  readonly orderStatus: OrderStatus;
  readonly trades: readonly FirstTrade[];
}

export function isJournalled(output: EngineOutput): output is EngineEvent {
  if (output.type === 'command-refused' || output.type === 'order-replayed') return false;
  output satisfies EngineEvent;
  return true;
}
