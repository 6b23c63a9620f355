// Answers about one wallet: its trades, payouts and statistics, and what it may spend, claim and sign.
import Type from 'typebox';
import { FEES } from './fees.ts';
import {
  AddressText,
  Bit,
  Bytes32Text,
  DecimalText,
  Int64,
  TradeNumber,
  TxHashText,
  Uint64,
  UnixSeconds,
} from './scalars.ts';
import { TRADE_STATUSES } from './trades.ts';

const StatusText = Type.Enum([...TRADE_STATUSES]);

export const TRADE_ROLES = ['maker', 'taker'] as const;
export type TradeRole = (typeof TRADE_ROLES)[number];

export const UserTrade = Type.Object({
  id: TradeNumber,
  tradeId: Type.String(),
  type: Type.Literal('TRADE'),
  marketId: Bytes32Text,
  marketQuestion: Type.String(),
  contractAddress: AddressText,
  side: Bit,
  outcome: Bit,
  role: Type.Enum([...TRADE_ROLES]),
  price: Uint64,
  size: Uint64,
  cost: Uint64,
  counterparty: AddressText,
  timestamp: UnixSeconds,
  txHash: TxHashText,
  status: StatusText,
  ...FEES,
});

/** 0 = YES, 1 = NO, -1 = void: each share pays half. */
const WinningOutcome = Type.Union([Bit, Type.Literal(-1)]);

export const UserSettlement = Type.Object({
  marketId: Bytes32Text,
  marketQuestion: Type.String(),
  contractAddress: AddressText,
  txHash: TxHashText,
  payout: Int64,
  winningOutcome: WinningOutcome,
  timestamp: UnixSeconds,
  status: StatusText,
});

export const UserConversion = Type.Object({
  type: Type.Literal('CONVERSION'),
  eventId: Bytes32Text,
  eventQuestion: Type.String(),
  gave: Type.Array(Type.Integer(), {
    description: 'indexes of the outcomes of which shares went: NO, or YES where NO came or only collateral did',
  }),
  got: Type.Array(Type.Integer(), { description: 'indexes of the outcomes of which shares came' }),
  amount: Type.Union([Type.Integer(), Type.BigInt()], { description: 'shares of each outcome' }),
  freed: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'collateral that came or, below 0, went',
  }),
  txHash: TxHashText,
  timestamp: UnixSeconds,
});

export const UserActivity = Type.Object({
  activity: Type.Array(UserTrade),
  settlements: Type.Array(UserSettlement),
  conversions: Type.Optional(
    Type.Array(UserConversion, {
      description: 'shares of events that became others, newest first; absent if there are none',
    }),
  ),
});

export const UserStatistics = Type.Object({
  user_address: AddressText,
  volume: Type.Union([Type.Integer(), Type.BigInt()], { description: 'cost of all its trades that have not failed' }),
  trade_count: Type.Integer(),
  total_cost: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'what the shares held and those sold, merged or redeemed have cost together',
  }),
  total_invested: Type.Union([Type.Integer(), Type.BigInt()], { description: 'what the shares held have cost' }),
  position_value: Type.Union([Type.Integer(), Type.BigInt()], {
    description:
      'the shares held at what they pay in a decided market, else at what the bids of others pay for them, where nobody bids at the last trade; rounded down by outcome',
  }),
  pnl: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'realised profit + position_value - total_invested',
  }),
  realized_pnl: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'the part of pnl that is certain: sold, merged or redeemed, and whatever decided markets gave or took',
  }),
  unrealized_pnl: Type.Union([Type.Integer(), Type.BigInt()], {
    description: 'the rest: shares of markets that are not decided yet',
  }),
  pnl_percentage: Type.Number({ description: '100 x pnl / total_cost to four decimals; 0 when nothing was spent' }),
});

export const PNL_INTERVALS = ['1d', '1w', '1m', 'all'] as const;
export type PnlInterval = (typeof PNL_INTERVALS)[number];

export const PnlPoint = Type.Object({ time: UnixSeconds, realized: Int64, unrealized: Int64, pnl: Int64 });

export const PnlHistory = Type.Object({
  user_address: AddressText,
  interval: Type.Enum([...PNL_INTERVALS]),
  points: Type.Array(PnlPoint, {
    description:
      'at even steps, oldest first, marked by the last trade of each time, as far below it as the bids are now; the newest is the standing of now, as in user-stats. Empty for a wallet that never traded',
  }),
});

export const LEADER_PERIODS = ['day', 'week', 'all'] as const;
export type LeaderPeriod = (typeof LEADER_PERIODS)[number];
export const LEADER_SORTS = ['volume', 'profit'] as const;
export type LeaderSort = (typeof LEADER_SORTS)[number];

export const Leaderboard = Type.Object({
  period: Type.Enum([...LEADER_PERIODS]),
  since: Type.Integer({
    description: 'Unix second at which the period began: midnight or Monday in UTC; 0 for all time',
  }),
  sort: Type.Enum([...LEADER_SORTS]),
  leaders: Type.Array(
    Type.Object({
      rank: Type.Integer({ minimum: 1 }),
      userAddress: AddressText,
      volume: Type.Union([Type.Integer(), Type.BigInt()], { description: 'cost of its trades in the period' }),
      tradeCount: Type.Integer(),
      pnl: Type.Union([Type.Integer(), Type.BigInt()], {
        description: 'profit since its first trade, as in user-stats',
      }),
    }),
  ),
  count: Type.Integer(),
});

export const WalletBalances = Type.Object({
  balance: DecimalText,
  allowance: DecimalText,
  reserved: DecimalText,
  available: DecimalText,
  deposited: Type.Optional(DecimalText),
  unsettled: Type.Optional(
    Type.String({
      pattern: '^-?[0-9]+$',
      description:
        'with include=unsettled: what fills that are not in the balance yet will change it by, below 0 where more is paid than received',
    }),
  ),
});

/** Allowances and approvals of a wallet for the contracts of the exchange. */
export const WalletApprovals = Type.Object({
  settlement: Type.Object({
    address: AddressText,
    allowance: DecimalText,
    sharesApproved: Type.Boolean({ description: 'whether it may move shares of the wallet' }),
    haltEffectiveAfter: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Unix second after which nothing of the wallet settles, since it has stopped all its orders on the chain; null while it trades',
    }),
  }),
  conditionalTokens: Type.Object({ address: AddressText, allowance: DecimalText }),
});

export const Claimable = Type.Object({
  market_id: Bytes32Text,
  contract_address: AddressText,
  outcome_label: Type.Enum(['YES', 'NO']),
  balance: Uint64,
  payout: Uint64,
});

export const ClaimableList = Type.Object({
  claimable: Type.Array(Claimable),
  count: Type.Integer(),
  totalPayout: Uint64,
});

export const ClaimData = Type.Object({
  market_address: AddressText,
  market_id: Bytes32Text,
  resolved: Type.Boolean(),
  winning_outcome: Type.Union([Bit, Type.Null()], {
    description: 'the outcome that this entry redeems; a void market has an entry for each outcome held',
  }),
  winning_balance: Uint64,
  ctf_address: AddressText,
  collateral_token: AddressText,
  condition_id: Bytes32Text,
  index_sets: Type.Array(DecimalText, { description: 'those of YES and of NO in the condition' }),
  ctf_nonce: Uint64,
});

export const ClaimDataList = Type.Object({ markets: Type.Array(ClaimData) });

export const ContractNonce = Type.Object({ nonce: Uint64 });
