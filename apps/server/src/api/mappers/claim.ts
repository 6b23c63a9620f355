// Claims of what a decided market pays, as the wire shows them.
import { type FailedClaim, type PendingClaim, toChecksumAddress, type UserSettlement } from '@presage/protocol';
import type { ClaimRow, FailedClaimRow, UserPayoutRow } from '../../projections/claims/claim-queries.ts';
import type { Answer } from '../answer.ts';

export function toClaim(row: ClaimRow): Answer<typeof PendingClaim> {
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

export function toFailedClaim(row: FailedClaimRow): Answer<typeof FailedClaim> {
  return { ...toClaim(row), reason: row.reason };
}

export function toUserPayout(row: UserPayoutRow): Answer<typeof UserSettlement> {
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
