// The sandbox's own routes about resolution: to dispute what is proposed, and to decide a dispute.
import { Bytes32Text, type MarketId } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { bodyOf } from '../bodies.ts';
import type { ApiServices, OracleDesk } from '../services.ts';
import { toResolution } from '../wire-resolution.ts';

const checkDispute = bodyOf(Type.Object({ marketId: Bytes32Text }));
const checkArbitration = bodyOf(
  Type.Object({ marketId: Bytes32Text, truthful: Type.Boolean({ description: 'true or false' }) }),
);

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
