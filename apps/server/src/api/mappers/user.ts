// A wallet's trades and statistics as the wire shows them.
import {
  type Address,
  oppositeSide,
  type PnlHistory,
  type PnlInterval,
  type TradeRole,
  toChecksumAddress,
  toSeconds,
  type UserStatistics,
  type UserTrade,
} from '@presage/protocol';
import type { PnlPoint } from '../../projections/users/pnl-queries.ts';
import type { UserTradeRow } from '../../projections/users/user-queries.ts';
import type { Answer } from '../answer.ts';
import type { UserStanding } from '../valued-holdings.ts';

/** A trade from the wallet's side; from the taker's if the wallet traded with itself. */
export function toUserTrade(
  { trade, question, contractAddress }: UserTradeRow,
  wallet: Address,
): Answer<typeof UserTrade> {
  const role: TradeRole = trade.taker === wallet ? 'taker' : 'maker';
  return {
    id: trade.id,
    tradeId: trade.tradeId,
    type: 'TRADE',
    marketId: trade.marketId,
    marketQuestion: question,
    contractAddress: toChecksumAddress(contractAddress),
    side: role === 'taker' ? trade.takerSide : oppositeSide(trade.takerSide),
    outcome: trade.outcome,
    role,
    price: trade.price,
    size: trade.size,
    cost: trade.cost,
    counterparty: toChecksumAddress(role === 'taker' ? trade.maker : trade.taker),
    timestamp: toSeconds(trade.timeMs),
    txHash: trade.txHash ?? '',
    status: trade.status,
  };
}

export function toUserStatistics(
  wallet: Address,
  { invested, soldCost, realizedPnl, unrealizedPnl, value }: UserStanding,
): Answer<typeof UserStatistics> {
  const totalCost = invested + soldCost;
  const pnl = realizedPnl + unrealizedPnl;
  return {
    user_address: toChecksumAddress(wallet),
    total_cost: totalCost,
    total_invested: invested,
    position_value: value,
    pnl,
    realized_pnl: realizedPnl,
    unrealized_pnl: unrealizedPnl,
    pnl_percentage: toPercentage(pnl, totalCost),
  };
}

interface PnlFacts {
  readonly wallet: Address;
  readonly interval: PnlInterval;
  readonly past: readonly PnlPoint[];
  readonly standing: UserStanding;
  readonly nowMs: number;
}

/** The newest point is the present figures, so that a curve ends where they are. */
export function toPnlHistory({ wallet, interval, past, standing, nowMs }: PnlFacts): Answer<typeof PnlHistory> {
  const now = { timeMs: nowMs, realized: standing.realizedPnl, unrealized: standing.unrealizedPnl };
  const points = (past.length === 0 ? [] : [...past, now]).map(({ timeMs, realized, unrealized }) => {
    return { time: toSeconds(timeMs), realized, unrealized, pnl: realized + unrealized };
  });
  return { user_address: toChecksumAddress(wallet), interval, points };
}

/** Four decimals, rounded toward zero. The division is of integers: only the small quotient becomes a double. */
function toPercentage(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000;
}
