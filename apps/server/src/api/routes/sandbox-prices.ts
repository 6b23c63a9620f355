// The sandbox's prices: anybody may set one by hand.
import { PricePinInput } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../bodies.ts';
import type { SandboxPricePort } from '../services.ts';

const checkPin = bodyOf(PricePinInput);

export function sandboxPriceRoutes(service: SandboxPricePort) {
  return (server: FastifyInstance): void => {
    server.post('/sandbox/price', async (request) => {
      const { asset, priceUSD } = checkPin(request.body);
      return service.pin(asset, priceUSD);
    });
  };
}
