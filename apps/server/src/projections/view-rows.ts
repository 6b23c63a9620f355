// Rows of the view as the fold holds them in memory while a transaction is being made.
import type {
  Address,
  CancelReason,
  FaultParty,
  MarketCloseReason,
  MarketFacts,
  OrderAccepted,
  OrderHash,
  OrderStatus,
  Outcome,
  PermitStatus,
  Price,
  Side,
  Size,
  TradeStage,
  TradeStatus,
  TransactionHash,
} from '@presage/protocol';

export interface ListedMarket {
  readonly seq: number;
  readonly facts: MarketFacts;
  readonly listedMs: number;
}

export interface ClosedMarket {
  readonly marketSeq: number;
  readonly reason: MarketCloseReason;
  readonly closedMs: number;
}

export interface ResolvedMarket {
  readonly marketSeq: number;
  /** What a share of YES and of NO pays, in millionths; undefined while that is open. */
  readonly payouts: readonly [yes: number, no: number] | undefined;
}

/** What changes of an order, and what it takes to computeReserve the change. */
export interface OrderState {
  readonly seq: number;
  readonly hash: OrderHash;
  readonly size: number;
  filled: number;
  status: OrderStatus;
  cancelReason: CancelReason | null;
  updatedMs: number;
}

export interface NewOrder {
  readonly state: OrderState;
  readonly marketSeq: number;
  readonly accepted: OrderAccepted;
}

export interface OrderChange {
  readonly orderSeq: number;
  readonly seq: number;
  readonly kind: 'cancelled' | 'restored' | 'permit';
  readonly timeMs: number;
  readonly size: number;
  readonly reason: string | null;
  readonly tradeSeq: number | null;
  readonly permitStatus?: PermitStatus;
  readonly txHash?: TransactionHash | undefined;
}

export interface TradeTerms {
  readonly seq: number;
  readonly tradeId: string;
  readonly marketSeq: number;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly cost: bigint;
  readonly makerSeq: number;
  readonly takerSeq: number;
  readonly buyer: Address;
  readonly seller: Address;
  readonly timeMs: number;
}

export interface TradeState extends TradeTerms {
  stage: TradeStage;
  txHash: TransactionHash | null;
  batchIndex: number | null;
  isBatch: boolean | null;
  attempts: number;
  blockNumber: number | null;
  minted: bigint | null;
  mint: bigint;
  reason: string | null;
  faultParty: FaultParty | null;
  failedMs: number | null;
}

export interface NewTrade {
  readonly state: TradeState;
  readonly takerSide: Side;
}

export interface TradeMove {
  readonly tradeSeq: number;
  readonly seq: number;
  readonly stage: TradeStage;
  readonly timeMs: number;
  readonly txHash: TransactionHash | null;
  readonly attempt: number | null;
  readonly blockNumber: number | null;
  readonly reason: string | null;
  readonly faultParty: FaultParty | null;
}

export interface TradeTransaction {
  readonly txHash: TransactionHash;
  readonly tradeSeq: number;
  readonly batchIndex: number;
  readonly isBatch: boolean;
}

/** A wallet in a market. */
export interface Pair {
  readonly wallet: Address;
  readonly marketSeq: number;
}

export function toPairKey(wallet: Address, marketSeq: number): string {
  return `${wallet}/${marketSeq}`;
}

export function toTradeStatus(stage: TradeStage): TradeStatus {
  return stage === 'confirmed' || stage === 'failed' ? stage : 'pending';
}

/** The block a trade stands in, while it stands in one. */
export function minedAt(trade: Pick<TradeState, 'stage' | 'blockNumber'>): number | undefined {
  return trade.stage === 'mined' || trade.stage === 'confirmed' ? (trade.blockNumber ?? undefined) : undefined;
}
