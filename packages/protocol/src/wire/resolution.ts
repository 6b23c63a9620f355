// Answers about a market's resolution, and about claims of its payouts.
import Type from 'typebox';
import { MARKET_STATUSES } from './markets.ts';
import { AddressText, Bit, Bytes32Text, Int64, UnixSeconds } from './scalars.ts';

export const AssertionBody = Type.Object({
  id: Bytes32Text,
  proposer: AddressText,
  proposedOutcome: Type.Boolean({ description: 'true = YES, false = NO, or neither: see outcome' }),
  outcome: Type.Union([Bit, Type.Literal(2)], { description: '0 = YES, 1 = NO, 2 = each share is to pay half' }),
  bondAmount: Type.String({ pattern: '^[0-9]+$', description: 'decimal string, 6 decimals' }),
  assertionTime: UnixSeconds,
  expirationTime: UnixSeconds,
  settled: Type.Boolean(),
  settlementResolution: Type.Boolean(),
  disputed: Type.Boolean(),
  bondPayer: AddressText,
  disputer: Type.Union([AddressText, Type.Null()]),
});

export const ResolutionBody = Type.Object({
  marketId: Bytes32Text,
  expired: Type.Boolean(),
  resolved: Type.Boolean(),
  winningOutcome: Type.Optional(Bit),
  assertion: Type.Optional(AssertionBody),
  others: Type.Array(AssertionBody, {
    description: 'further assertions beside that one: a market may have one for each outcome at a time',
  }),
  status: Type.Enum([...MARKET_STATUSES]),
  round: Type.Integer({ minimum: 0, description: 'how many proposals there have been' }),
  bond: Type.Optional(
    Type.String({
      pattern: '^[0-9]+$',
      description: 'what the next proposal has to put up; absent while it cannot be asked',
    }),
  ),
  disputer: Type.Union([AddressText, Type.Null()]),
  history: Type.Array(AssertionBody, { description: 'assertions that were found false, oldest first' }),
  payouts: Type.Optional(
    Type.Tuple([Type.Integer(), Type.Integer()], {
      description: 'what a share of YES and of NO pays, in millionths, rounded down',
    }),
  ),
});

/** 0 = YES, 1 = NO, -1 = void: each share pays half. */
const WinningOutcome = Type.Union([Bit, Type.Literal(-1)]);

const claim = {
  txHash: Bytes32Text,
  userAddress: AddressText,
  marketAddress: AddressText,
  marketId: Bytes32Text,
  payout: Int64,
  winningOutcome: WinningOutcome,
  submittedAt: UnixSeconds,
};

export const PendingClaim = Type.Object(claim);
export const PendingClaims = Type.Object({ pendingClaims: Type.Array(PendingClaim), count: Type.Integer() });
export const FailedClaim = Type.Object({ ...claim, reason: Type.String() });
export const FailedClaims = Type.Object({ failedClaims: Type.Array(FailedClaim), count: Type.Integer() });
