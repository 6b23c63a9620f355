// Maps a wallet's trades and statistics to the wire.
import {
  type Address,
  BUY,
  type LeaderPeriod,
  type LeaderSort,
  oppositeSide,
  type PnlInterval,
  type TradeRole,
  toChecksumAddress,
  toSeconds,
} from '@presage/protocol';
import type { Leaders } from '../../projections/leaders/leader-queries.ts';
import type { ConversionRow } from '../../projections/users/conversion-queries.ts';
import type { PnlPoint } from '../../projections/users/pnl-queries.ts';
import type { UserTradeRow } from '../../projections/users/user-queries.ts';
import type { BidsOf, ValuedHolding } from '../../projections/users/valued-holding.ts';
import type { Wire } from '../answer.ts';
import type { ApiServices } from '../services.ts';
import { toFees } from './trade.ts';

/** Maps a trade from the wallet's side; from the taker's if the wallet traded with itself. */
export function toUserTrade({ trade, question, contractAddress }: UserTradeRow, wallet: Address): Wire<'UserTrade'> {
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
    ...toFees(trade),
  };
}

export function toUserStatistics(
  wallet: Address,
  { invested, soldCost, realizedPnl, unrealizedPnl, value }: UserStanding,
  { volume, tradeCount }: WalletVolume,
): Wire<'UserStatistics'> {
  const totalCost = invested + soldCost;
  const pnl = realizedPnl + unrealizedPnl;
  return {
    user_address: toChecksumAddress(wallet),
    volume,
    trade_count: tradeCount,
    total_cost: totalCost,
    total_invested: invested,
    position_value: value,
    pnl,
    realized_pnl: realizedPnl,
    unrealized_pnl: unrealizedPnl,
    pnl_percentage: toPercentage(pnl, totalCost),
  };
}

interface WalletVolume {
  readonly volume: bigint;
  readonly tradeCount: number;
}

interface LeaderFacts extends Leaders {
  readonly period: LeaderPeriod;
  readonly sort: LeaderSort;
  readonly profits: ReadonlyMap<Address, bigint>;
  readonly limit: number;
}

/** Leaderboard. Rows come sorted by volume; wallets with equal profit keep that order. */
export function toLeaderboard({ period, since, sort, rows, profits, limit }: LeaderFacts): Wire<'Leaderboard'> {
  const all = rows.map(({ wallet, volume, tradeCount }) => {
    return { userAddress: toChecksumAddress(wallet), volume, tradeCount, pnl: profits.get(wallet) ?? 0n };
  });
  if (sort === 'profit') all.sort((a, b) => (a.pnl === b.pnl ? 0 : a.pnl > b.pnl ? -1 : 1));
  const leaders = all.slice(0, limit).map((leader, index) => ({ rank: index + 1, ...leader }));
  return { period, since, sort, leaders, count: leaders.length };
}

interface PnlFacts {
  readonly wallet: Address;
  readonly interval: PnlInterval;
  readonly past: readonly PnlPoint[];
  readonly standing: UserStanding;
  readonly nowMs: number;
}

/** Profit history; the last point holds the current figures, so that a chart ends at them. */
export function toPnlHistory({ wallet, interval, past, standing, nowMs }: PnlFacts): Wire<'PnlHistory'> {
  const now = { timeMs: nowMs, realized: standing.realizedPnl, unrealized: standing.unrealizedPnl };
  const points = (past.length === 0 ? [] : [...past, now]).map(({ timeMs, realized, unrealized }) => {
    return { time: toSeconds(timeMs), realized, unrealized, pnl: realized + unrealized };
  });
  return { user_address: toChecksumAddress(wallet), interval, points };
}

/** Percentage with four decimals, rounded toward zero. Divides integers, so that only the small quotient becomes a double. */
function toPercentage(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1_000_000n) / whole) / 10_000;
}

/** Holdings of the view, valued at the bids of others. */
export function listValuedHoldings(
  { views, reads }: Pick<ApiServices, 'views' | 'reads'>,
  wallet: Address,
  chainId?: number,
): Promise<ValuedHolding[]> {
  return views.listHoldings({ wallet, chainId, bidsOf: bidsOfOthers(reads, wallet) });
}

/** Bids of others: a wallet cannot sell to itself, so its own bids do not value its shares. */
export function bidsOfOthers(
  reads: Pick<ApiServices['reads'], 'facts' | 'levels' | 'openOrders'>,
  wallet: Address,
): BidsOf {
  return (marketId, outcome) => {
    const own = new Map<number, bigint>();
    for (const { signed, remainingSize } of reads.openOrders({ marketId, trader: wallet })) {
      const { side, outcome: of, price } = signed.order;
      if (side === BUY && of === outcome) own.set(price, (own.get(price) ?? 0n) + BigInt(remainingSize));
    }
    const { feeRateBps = 0 } = reads.facts(marketId) ?? {};
    const others = reads.levels(marketId, outcome, BUY).map(({ price, size }) => {
      return { price, size: BigInt(size) - (own.get(price) ?? 0n), feeRateBps };
    });
    return others.filter(({ size }) => size > 0n);
  };
}

type UserStanding = ReturnType<typeof sumStanding>;

/** Current worth of holdings, with profit split into realized and unrealized. */
export function sumStanding(holdings: readonly ValuedHolding[]) {
  const sum = {
    /** Cost of the shares held. */
    invested: 0n,
    /** Cost of the shares that were sold, merged or redeemed: their proceeds less the profit. */
    soldCost: 0n,
    value: 0n,
    /** Profit on shares that were sold, merged or redeemed, and on all shares of a decided market. */
    realizedPnl: 0n,
    unrealizedPnl: 0n,
  };
  for (const each of holdings) {
    const certain = each.payouts === undefined ? each.realizedPnl : each.pnl;
    sum.invested += each.yesCost + each.noCost;
    sum.soldCost += each.revenue - each.realizedPnl;
    sum.value += each.value;
    sum.realizedPnl += certain;
    sum.unrealizedPnl += each.pnl - certain;
  }
  return sum;
}

export function toUserConversion(row: ConversionRow): Wire<'UserConversion'> {
  const { eventId, eventQuestion, gave, got, amount, freed, txHash, timestamp } = row;
  const sets = { gave: indexesOf(gave), got: indexesOf(got) };
  return { type: 'CONVERSION', eventId, eventQuestion, ...sets, amount, freed, txHash, timestamp };
}

function indexesOf(set: bigint): number[] {
  return [...set.toString(2)].reverse().flatMap((bit, index) => (bit === '1' ? [index] : []));
}
