// Maps positions to the wire.
import { toChecksumAddress, toSeconds } from '@presage/protocol';
import type { PositionRow } from '../../projections/positions/position-queries.ts';
import type { ValuedHolding } from '../../projections/users/valued-holding.ts';
import type { Wire } from '../answer.ts';

export function toPosition(row: PositionRow): Wire<'Position'> {
  return {
    yesShares: row.yesShares,
    noShares: row.noShares,
    totalInvested: row.totalInvested,
    yesCost: row.yesCost,
    noCost: row.noCost,
    marketId: row.marketId,
    userAddress: toChecksumAddress(row.wallet),
    yesRevenue: row.yesRevenue,
    noRevenue: row.noRevenue,
    realizedPnl: row.realizedPnl,
    lastUpdated: toSeconds(row.updatedMs),
  };
}

/** Maps a holding; the second argument is the market's current state, its facts are in the row. */
export function toUserPosition(
  row: ValuedHolding,
  { kind, status, winningOutcome, event }: Pick<Wire<'UserPosition'>, 'kind' | 'status' | 'winningOutcome' | 'event'>,
): Wire<'UserPosition'> {
  return {
    marketId: row.marketId,
    marketQuestion: row.question,
    contractAddress: toChecksumAddress(row.contractAddress),
    yesShares: row.yesShares,
    noShares: row.noShares,
    totalInvested: row.yesCost + row.noCost,
    expiration: row.expiration,
    resolved: row.payouts !== undefined,
    kind,
    status,
    winningOutcome,
    ...(event && { event }),
    yesCost: row.yesCost,
    noCost: row.noCost,
    revenue: row.revenue,
    realizedPnl: row.realizedPnl,
    yesPrice: row.marks.yes,
    noPrice: row.marks.no,
    yesValue: row.yesValue,
    noValue: row.noValue,
    yesSellable: row.yesSellable,
    noSellable: row.noSellable,
    value: row.value,
    pnl: row.pnl,
    lastUpdated: toSeconds(row.updatedMs),
  };
}
