// The sandbox's own routes about resolution: to dispute what is proposed, and to decide a dispute.
import { ArbitrationInput, DisputeInput, type MarketId } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../bodies.ts';
import type { ApiServices, SandboxOraclePort } from '../services.ts';
import { toResolution } from '../wire-resolution.ts';

const checkDispute = bodyOf(DisputeInput);
const checkArbitration = bodyOf(ArbitrationInput);

export function sandboxOracleRoutes(service: SandboxOraclePort, { clock }: Pick<ApiServices, 'clock'>) {
  return (server: FastifyInstance): void => {
    server.post('/sandbox/dispute', async (request) => {
      const { marketId } = checkDispute(request.body);
      return toResolution(await service.dispute(marketId.toLowerCase() as MarketId), clock.nowSeconds());
    });

    server.post('/sandbox/arbitrate', async (request) => {
      const { marketId, truthful } = checkArbitration(request.body);
      return toResolution(await service.arbitrate(marketId.toLowerCase() as MarketId, truthful), clock.nowSeconds());
    });
  };
}
