// The sandbox's own routes about resolution: to dispute what is proposed, and to decide a dispute.
import { ArbitrationWish, DisputeWish, type MarketId } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../bodies.ts';
import type { ApiServices, OracleDesk } from '../services.ts';
import { toResolution } from '../wire-resolution.ts';

const checkDispute = bodyOf(DisputeWish);
const checkArbitration = bodyOf(ArbitrationWish);

export function sandboxOracleRoutes(desk: OracleDesk, { clock }: Pick<ApiServices, 'clock'>) {
  return (server: FastifyInstance): void => {
    server.post('/sandbox/dispute', async (request) => {
      const { marketId } = checkDispute(request.body);
      return toResolution(await desk.dispute(marketId.toLowerCase() as MarketId), clock.nowSeconds());
    });

    server.post('/sandbox/arbitrate', async (request) => {
      const { marketId, truthful } = checkArbitration(request.body);
      return toResolution(await desk.arbitrate(marketId.toLowerCase() as MarketId, truthful), clock.nowSeconds());
    });
  };
}
