// One wallet's trades and payouts, and how it stands.
import { LIMITS } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { addressOf, chainIdOf, limitOf, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toUserPayout } from '../wire-resolution.ts';
import { toUserStatistics, toUserTrade } from '../wire-users.ts';

const ACTIVITY_LIMIT = { fallback: LIMITS.userActivityDefault, maximum: LIMITS.userActivityMax };

export function userRoutes({ views }: Pick<ApiServices, 'views'>) {
  return (server: FastifyInstance): void => {
    server.get<{ Params: { address: string } }>('/api/v1/users/:address/activity', async (request) => {
      const query = request.query as Query;
      const wallet = addressOf('address', request.params.address);
      const wish = { wallet, chainId: chainIdOf(query), limit: limitOf(query, ACTIVITY_LIMIT) };
      const [trades, payouts] = await Promise.all([views.userTrades(wish), views.userPayouts(wish)]);
      return { activity: trades.map((row) => toUserTrade(row, wallet)), settlements: payouts.map(toUserPayout) };
    });

    server.get('/api/v1/user-stats', async (request) => {
      const wallet = addressOf('address', textOf(request.query as Query, 'address'));
      return toUserStatistics(wallet, await views.userStanding(wallet));
    });
  };
}
