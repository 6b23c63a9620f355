// Positions as the wire shows them.
import { type Position, toChecksumAddress, type UserPosition } from '@presage/protocol';
import type { PositionRow, UserPositionRow } from '../../projections/positions/position-queries.ts';
import type { Answer } from '../answer.ts';
import { toSeconds } from './seconds.ts';

export function toPosition(row: PositionRow): Answer<typeof Position> {
  return {
    yesShares: row.yesShares,
    noShares: row.noShares,
    totalInvested: row.totalInvested,
    yesCost: row.yesCost,
    noCost: row.noCost,
    marketId: row.marketId,
    userAddress: toChecksumAddress(row.userAddress),
    yesRevenue: row.yesRevenue,
    noRevenue: row.noRevenue,
    realizedPnl: row.realizedPnl,
    lastUpdated: toSeconds(row.updatedMs),
  };
}

export function toUserPosition(row: UserPositionRow): Answer<typeof UserPosition> {
  return {
    marketId: row.marketId,
    marketQuestion: row.question,
    contractAddress: toChecksumAddress(row.contractAddress),
    yesShares: row.yesShares,
    noShares: row.noShares,
    totalInvested: row.totalInvested,
    expiration: row.expiration,
    resolved: row.isResolved,
  };
}
