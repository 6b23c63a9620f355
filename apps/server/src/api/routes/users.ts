// One wallet's trades and payouts, and how it stands.
import { DAY_MS, LIMITS, type MarketId, PNL_INTERVALS, type PnlInterval } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { toUserPayout } from '../mappers/resolution.ts';
import { listValuedHoldings, sumStanding, toPnlHistory, toUserStatistics, toUserTrade } from '../mappers/user.ts';
import { CHAIN_ID, choiceOf, listLimit, optional, required, WALLET, whenAsked, withDefault } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const wallets = { method: 'get', tag: 'Wallets' } as const;
const { userActivityMax, userActivityDefault } = LIMITS;

const INTERVAL = choiceOf(PNL_INTERVALS, 'How far back; all when absent');
const INTERVAL_DAYS: Readonly<Record<PnlInterval, number | undefined>> = { '1d': 1, '1w': 7, '1m': 30, all: undefined };

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
      summary: 'Trades and payouts of a wallet',
      params: { address: WALLET },
      query: {
        chain_id: required(CHAIN_ID),
        limit: listLimit(userActivityMax, userActivityDefault),
      },
      answer: wire.UserActivity,
      handle: async ({ params: { address: wallet }, query: { chain_id: chainId, limit } }) => {
        const asked = { wallet, chainId, limit };
        const [trades, payouts] = await Promise.all([views.listUserTrades(asked), views.listUserPayouts(asked)]);
        return {
          activity: trades.map((row) => toUserTrade(asShown(row, row.trade.marketId), wallet)),
          settlements: payouts.map((row) => toUserPayout(asShown(row, row.marketId))),
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
        return toUserStatistics(address, sumStanding(await listValuedHoldings({ views, reads }, address)));
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
  ];
}
