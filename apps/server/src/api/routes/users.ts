// Endpoints for a wallet's activity, statistics and profit, and for the leaderboard.
import { type Address, DAY_MS, LIMITS, type MarketId, PNL_INTERVALS, type PnlInterval } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { toUserPayout } from '../mappers/resolution.ts';
import {
  bidsOfOthers,
  listValuedHoldings,
  sumStanding,
  toLeaderboard,
  toPnlHistory,
  toUserConversion,
  toUserStatistics,
  toUserTrade,
} from '../mappers/user.ts';
import { CHAIN_ID, choiceOf, listLimit, optional, required, WALLET, whenAsked, withDefault } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const wallets = { method: 'get', tag: 'Wallets' } as const;
const { userActivityMax, userActivityDefault, leaderboard, leaderboardMax, leaderboardCompared } = LIMITS;

const INTERVAL = choiceOf(PNL_INTERVALS, 'How far back; all when absent');
const INTERVAL_DAYS: Readonly<Record<PnlInterval, number | undefined>> = { '1d': 1, '1w': 7, '1m': 30, all: undefined };

const PERIOD = choiceOf(wire.LEADER_PERIODS, 'The day or the week of UTC; all time when absent');
const SORT = choiceOf(wire.LEADER_SORTS, 'volume when absent; profit: of those with the most volume');

type Services = Pick<ApiServices, 'views' | 'reads' | 'clock' | 'presentation'>;

export function userEndpoints({ views, reads, clock, presentation }: Services): Endpoint[] {
  const asShown = <Row extends { readonly question: string }>(row: Row, marketId: MarketId): Row => ({
    ...row,
    question: presentation.questionOf(marketId, row.question),
  });
  return [
    endpoint({
      ...wallets,
      path: '/api/v1/users/:address/activity',
      id: 'getUserActivity',
      summary: 'Trades, payouts and conversions of a wallet',
      params: { address: WALLET },
      query: {
        chain_id: required(CHAIN_ID),
        limit: listLimit(userActivityMax, userActivityDefault),
      },
      answer: wire.UserActivity,
      handle: async ({ params: { address: wallet }, query: { chain_id: chainId, limit } }) => {
        const asked = { wallet, chainId, limit };
        const [trades, payouts, conversions] = await Promise.all([
          views.listUserTrades(asked),
          views.listUserPayouts(asked),
          views.listUserConversions(asked),
        ]);
        return {
          activity: trades.map((row) => toUserTrade(asShown(row, row.trade.marketId), wallet)),
          settlements: payouts.map((row) => toUserPayout(asShown(row, row.marketId))),
          ...(conversions.length > 0 && { conversions: conversions.map(toUserConversion) }),
        };
      },
    }),
    endpoint({
      ...wallets,
      path: '/api/v1/user-stats',
      id: 'getUserStatistics',
      summary: 'How a wallet stands',
      access: 'identity',
      query: { address: whenAsked(WALLET, 'The wallet of the token when absent; required without a token') },
      answer: wire.UserStatistics,
      handle: async ({ query, wallet, request }) => {
        const address = wallet !== undefined && request.query.address === undefined ? wallet : query.address();
        const [holdings, volume] = await Promise.all([
          listValuedHoldings({ views, reads }, address),
          views.sumWalletVolume(address),
        ]);
        return toUserStatistics(address, sumStanding(holdings), volume);
      },
    }),
    endpoint({
      ...wallets,
      path: '/api/v1/users/:address/pnl',
      id: 'getPnlHistory',
      summary: 'Profit and loss of a wallet over time',
      params: { address: WALLET },
      query: { chain_id: optional(CHAIN_ID), interval: withDefault(INTERVAL, 'all') },
      answer: wire.PnlHistory,
      handle: async ({ params: { address: wallet }, query: { chain_id: chainId, interval } }) => {
        const nowMs = clock.nowMs();
        const holdings = await listValuedHoldings({ views, reads }, wallet, chainId);
        const days = INTERVAL_DAYS[interval];
        const sinceMs = days === undefined ? undefined : nowMs - days * DAY_MS;
        const past = await views.listPnlPoints({ wallet, holdings, nowMs, sinceMs });
        return toPnlHistory({ wallet, interval, past, nowMs, standing: sumStanding(holdings) });
      },
    }),
    leaderboardEndpoint({ views, reads, clock }),
  ];
}

function leaderboardEndpoint({ views, reads, clock }: Pick<Services, 'views' | 'reads' | 'clock'>): Endpoint {
  return endpoint({
    ...wallets,
    path: '/api/v1/leaderboard',
    id: 'getLeaderboard',
    summary: 'The wallets with the most volume or profit',
    query: {
      period: withDefault(PERIOD, 'all'),
      sort: withDefault(SORT, 'volume'),
      limit: listLimit(leaderboardMax, leaderboard),
    },
    answer: wire.Leaderboard,
    handle: async ({ query: { period, sort, limit } }) => {
      const compared = sort === 'profit' ? leaderboardCompared : limit;
      const { since, rows } = await views.listLeaders({ period, nowMs: clock.nowMs(), limit: compared });
      const bidsOf = (wallet: Address) => bidsOfOthers(reads, wallet);
      const profits = await views.sumProfits({ wallets: rows.map(({ wallet }) => wallet), bidsOf });
      return toLeaderboard({ period, since, sort, rows, profits, limit });
    },
  });
}
