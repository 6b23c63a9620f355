// One wallet's trades and payouts, and how it stands.
import { LIMITS, UserActivity, UserStatistics } from '@presage/protocol';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { toUserPayout } from '../mappers/claim.ts';
import { toUserStatistics, toUserTrade } from '../mappers/user.ts';
import { CHAIN_ID, limitUpTo, required, WALLET, withDefault } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const wallets = { method: 'get', tag: 'Wallets' } as const;
const { userActivityMax, userActivityDefault } = LIMITS;

export function userEndpoints({ views }: Pick<ApiServices, 'views'>): Endpoint[] {
  return [
    endpoint({
      ...wallets,
      path: '/api/v1/users/:address/activity',
      id: 'getUserActivity',
      summary: 'Trades and payouts of a wallet',
      params: { address: WALLET },
      query: {
        chain_id: required(CHAIN_ID),
        limit: withDefault(limitUpTo(userActivityMax, userActivityDefault), userActivityDefault),
      },
      answer: UserActivity,
      handle: async ({ params: { address: wallet }, query: { chain_id: chainId, limit } }) => {
        const asked = { wallet, chainId, limit };
        const [trades, payouts] = await Promise.all([views.userTrades(asked), views.userPayouts(asked)]);
        return { activity: trades.map((row) => toUserTrade(row, wallet)), settlements: payouts.map(toUserPayout) };
      },
    }),
    endpoint({
      ...wallets,
      path: '/api/v1/user-stats',
      id: 'getUserStatistics',
      summary: 'How a wallet stands',
      query: { address: required(WALLET) },
      answer: UserStatistics,
      handle: async ({ query: { address } }) => toUserStatistics(address, await views.userStanding(address)),
    }),
  ];
}
