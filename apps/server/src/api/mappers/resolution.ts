// Maps a market's resolution, and claims of its payouts, to the wire.
import type { MarketView } from '@presage/engine';
import { type Assertion, explainRefusal, isDecided, PRICE_SCALE, toChecksumAddress, YES } from '@presage/protocol';
import type { ClaimRow, FailedClaimRow, UserPayoutRow } from '../../projections/claims/claim-queries.ts';
import type { Wire } from '../answer.ts';
import { toMarketStatus } from './market.ts';

export function toResolution(market: MarketView, nowSeconds: number): Wire<'ResolutionBody'> {
  const { facts, resolution, closeReason } = market;
  const { assertion, others = [], history = [], winningOutcome, payouts } = resolution ?? {};
  return {
    marketId: facts.marketId,
    expired: closeReason === 'expired' || facts.expiration <= nowSeconds,
    resolved: isDecided(resolution),
    ...(winningOutcome !== undefined && { winningOutcome }),
    ...(assertion && { assertion: toAssertion(assertion) }),
    others: others.map(toAssertion),
    status: toMarketStatus(market, nowSeconds),
    round: resolution?.round ?? 0,
    disputer: disputerOf(assertion),
    history: history.map(toAssertion),
    ...(payouts && { payouts: toMillionths(payouts, resolution?.payoutDenominator) }),
  };
}

/** Payouts in millionths, rounded down: a void event's payouts need not be whole millionths. */
function toMillionths([yes, no]: readonly [number, number], denominator = PRICE_SCALE): readonly [number, number] {
  const convert = (part: number) => Math.floor((part * PRICE_SCALE) / denominator);
  return [convert(yes), convert(no)];
}

function toAssertion(assertion: Assertion): Wire<'AssertionBody'> {
  return {
    id: assertion.id,
    proposer: toChecksumAddress(assertion.proposer),
    proposedOutcome: assertion.proposedOutcome === YES,
    outcome: assertion.proposedOutcome,
    bondAmount: assertion.bondAmount,
    assertionTime: assertion.assertionTime,
    expirationTime: assertion.expirationTime,
    settled: assertion.settled,
    settlementResolution: assertion.settlementResolution,
    disputed: assertion.disputed,
    bondPayer: toChecksumAddress(assertion.bondPayer),
    disputer: disputerOf(assertion),
  };
}

function disputerOf(assertion: Assertion | undefined): string | null {
  return assertion?.disputer === undefined ? null : toChecksumAddress(assertion.disputer);
}

export function toClaim(row: ClaimRow): Wire<'PendingClaim'> {
  return {
    txHash: row.txHash,
    userAddress: toChecksumAddress(row.userAddress),
    marketAddress: toChecksumAddress(row.marketAddress),
    marketId: row.marketId,
    payout: row.payout,
    winningOutcome: row.winningOutcome,
    submittedAt: row.submittedAt,
  };
}

export function toFailedClaim(row: FailedClaimRow): Wire<'FailedClaim'> {
  return { ...toClaim(row), reason: explainRefusal(row.reason) };
}

export function toUserPayout(row: UserPayoutRow): Wire<'UserSettlement'> {
  return {
    marketId: row.marketId,
    marketQuestion: row.question,
    contractAddress: toChecksumAddress(row.contractAddress),
    txHash: row.txHash,
    payout: row.payout,
    winningOutcome: row.winningOutcome,
    timestamp: row.timestamp,
    status: row.status,
  };
}
