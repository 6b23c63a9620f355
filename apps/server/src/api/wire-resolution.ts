// A market's resolution, claims and payouts as the wire shows them.
import type { MarketView } from '@presage/engine';
import { type Assertion, isDecided, toChecksumAddress, YES } from '@presage/protocol';
import type { ClaimRow, FailedClaimRow, UserPayoutRow } from '../projections/claims/claim-queries.ts';
import { toMarketStatus } from './wire-markets.ts';

export function toResolution(market: MarketView, nowSeconds: number): object {
  const { facts, resolution, closeReason } = market;
  const { assertion, history = [], winningOutcome, payouts } = resolution ?? {};
  return {
    marketId: facts.marketId,
    expired: closeReason === 'expired' || facts.expiration <= nowSeconds,
    resolved: isDecided(resolution),
    ...(winningOutcome !== undefined && { winningOutcome }),
    ...(assertion && { assertion: toAssertion(assertion) }),
    status: toMarketStatus(market, nowSeconds),
    round: resolution?.round ?? 0,
    disputer: disputerOf(assertion),
    history: history.map(toAssertion),
    ...(payouts && { payouts }),
  };
}

function toAssertion(assertion: Assertion): object {
  return {
    id: assertion.id,
    proposer: toChecksumAddress(assertion.proposer),
    proposedOutcome: assertion.proposedOutcome === YES,
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

export function toClaim(row: ClaimRow): object {
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

export function toFailedClaim(row: FailedClaimRow): object {
  return { ...toClaim(row), reason: row.reason };
}

export function toUserPayout(row: UserPayoutRow): object {
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
