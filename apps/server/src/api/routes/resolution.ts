// How a market is decided, and the claims of what it pays that are on their way or failed.
import { PresageError } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bytes32Of } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toClaim, toFailedClaim, toResolution } from '../wire-resolution.ts';

export function resolutionRoutes({ reads, views, clock }: Pick<ApiServices, 'reads' | 'views' | 'clock'>) {
  return (server: FastifyInstance): void => {
    server.get<{ Params: { marketId: string } }>('/api/v1/resolution/:marketId', async (request) => {
      const marketId = bytes32Of('marketId', request.params.marketId);
      const market = reads.market(marketId);
      if (market === undefined) throw new PresageError('market_not_found', { marketId });
      return toResolution(market, clock.nowSeconds());
    });

    server.get('/api/v1/pending-claims', async () => {
      const pendingClaims = (await views.pendingClaims()).map(toClaim);
      return { pendingClaims, count: pendingClaims.length };
    });

    server.get('/api/v1/failed-claims', async () => {
      const failedClaims = (await views.failedClaims()).map(toFailedClaim);
      return { failedClaims, count: failedClaims.length };
    });
  };
}
