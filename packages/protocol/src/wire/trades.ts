// Answers about trades, their settlement and the resulting positions.
import Type from 'typebox';
import { MARKET_KINDS } from '../core/market.ts';
import { FAULT_PARTIES, TRADE_STAGES } from '../records/engine-commands.ts';
import { FEES } from './fees.ts';
import { EventOfMarket, MARKET_STATUSES } from './markets.ts';
import { AddressText, Bit, Bytes32Text, Int64, TradeNumber, TxHashText, Uint64, UnixSeconds } from './scalars.ts';

export const TRADE_STATUSES = ['pending', 'confirmed', 'failed'] as const;
export type TradeStatus = (typeof TRADE_STATUSES)[number];

const TradeStatusText = Type.Enum([...TRADE_STATUSES]);
const StageText = Type.Enum([...TRADE_STAGES]);

export const Trade = Type.Object({
  price: Uint64,
  size: Uint64,
  buyer: AddressText,
  seller: AddressText,
  outcome: Bit,
  timestamp: UnixSeconds,
  txHash: TxHashText,
  id: TradeNumber,
  tradeId: Type.String(),
  marketId: Bytes32Text,
  side: Bit,
  maker: AddressText,
  taker: AddressText,
  cost: Uint64,
  status: TradeStatusText,
  stage: StageText,
  ...FEES,
});

export const TradeHistory = Type.Object({ marketId: Bytes32Text, trades: Type.Array(Trade), count: Type.Integer() });

const settling = {
  marketId: Bytes32Text,
  txHash: TxHashText,
  buyerAddress: AddressText,
  sellerAddress: AddressText,
  fillSize: Uint64,
  fillPrice: Uint64,
  timestamp: UnixSeconds,
  isBatch: Type.Boolean(),
  batchIndex: Type.Integer(),
  id: TradeNumber,
  tradeId: Type.String(),
  outcome: Bit,
  stage: StageText,
  attempts: Type.Integer(),
  ...FEES,
};

export const PendingTrade = Type.Object(settling);
export const PendingTrades = Type.Object({ pendingTrades: Type.Array(PendingTrade), count: Type.Integer() });

export const FailedTrade = Type.Object({
  ...settling,
  reason: Type.String(),
  faultParty: Type.Enum([...FAULT_PARTIES]),
  failedAt: UnixSeconds,
});
export const FailedTrades = Type.Object({ failedTrades: Type.Array(FailedTrade), count: Type.Integer() });

export const SettlementFill = Type.Object({
  id: TradeNumber,
  tradeId: Type.String(),
  marketId: Bytes32Text,
  outcome: Bit,
  buyerAddress: AddressText,
  sellerAddress: AddressText,
  fillSize: Uint64,
  fillPrice: Uint64,
  batchIndex: Type.Integer(),
  status: TradeStatusText,
  error: Type.Union([Type.String(), Type.Null()]),
  ...FEES,
});

export const SettlementFound = Type.Object({
  found: Type.Literal(true),
  txHash: Bytes32Text,
  status: TradeStatusText,
  stage: StageText,
  error: Type.Union([Type.String(), Type.Null()]),
  marketId: Bytes32Text,
  buyerAddress: AddressText,
  sellerAddress: AddressText,
  fillSize: Uint64,
  fillPrice: Uint64,
  timestamp: UnixSeconds,
  isBatch: Type.Boolean(),
  batchIndex: Type.Integer(),
  blockNumber: Type.Union([Type.Integer(), Type.Null()]),
  confirmations: Type.Integer(),
  fills: Type.Array(SettlementFill),
});
export const SettlementNotFound = Type.Object({ found: Type.Literal(false) });

export const Position = Type.Object({
  yesShares: Int64,
  noShares: Int64,
  totalInvested: Int64,
  yesCost: Int64,
  noCost: Int64,
  marketId: Bytes32Text,
  userAddress: AddressText,
  yesRevenue: Int64,
  noRevenue: Int64,
  realizedPnl: Int64,
  lastUpdated: UnixSeconds,
});
export const NoPosition = Type.Object({ yesShares: Type.Literal(0), noShares: Type.Literal(0) });

export const UserPosition = Type.Object({
  marketId: Bytes32Text,
  marketQuestion: Type.String(),
  contractAddress: AddressText,
  yesShares: Int64,
  noShares: Int64,
  totalInvested: Int64,
  expiration: Int64,
  resolved: Type.Boolean(),
  kind: Type.Enum([...MARKET_KINDS]),
  status: Type.Enum([...MARKET_STATUSES]),
  winningOutcome: Type.Union([Bit, Type.Null()]),
  event: Type.Optional(EventOfMarket),
  yesCost: Int64,
  noCost: Int64,
  revenue: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'what shares that were sold, merged or redeemed brought',
  }),
  realizedPnl: Int64,
  yesPrice: Type.Union([Type.Integer(), Type.BigInt()], {
    description:
      'what a share of YES is worth now: what it pays in a decided market, else what the bids of others pay for each that they take, else the last trade',
  }),
  noPrice: Type.Union([Type.Integer(), Type.BigInt()], { description: 'the same of NO' }),
  yesValue: Type.Union([Type.Integer(), Type.BigInt()], {
    description:
      'what the bids of others pay for the shares of YES, less the fee of selling; shares beyond them count nothing, and where nobody bids, the last trade stands',
  }),
  noValue: Type.Union([Type.Integer(), Type.BigInt()], { description: 'the same of NO' }),
  yesSellable: Type.Union([Type.Integer(), Type.BigInt()], { description: 'shares of YES that others bid for now' }),
  noSellable: Type.Union([Type.Integer(), Type.BigInt()], { description: 'the same of NO' }),
  value: Type.Union([Type.Integer(), Type.BigInt()], { description: 'yesValue + noValue' }),
  pnl: Type.Union([Type.Integer(), Type.BigInt()], { description: 'realizedPnl + value - totalInvested' }),
  lastUpdated: UnixSeconds,
});
export const UserPositions = Type.Object({ positions: Type.Array(UserPosition), count: Type.Integer() });

export const PositionSynced = Type.Object({
  success: Type.Literal(true),
  marketId: Bytes32Text,
  userAddress: AddressText,
  yesShares: Int64,
  noShares: Int64,
  blockNumber: Type.Integer(),
  syncedAt: UnixSeconds,
});
