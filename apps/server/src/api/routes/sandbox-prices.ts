// The sandbox's prices: anybody may set one by hand.
import { PricePinWish } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../bodies.ts';
import type { SandboxPriceDesk } from '../services.ts';

const checkPin = bodyOf(PricePinWish);

export function sandboxPriceRoutes(desk: SandboxPriceDesk) {
  return (server: FastifyInstance): void => {
    server.post('/sandbox/price', async (request) => {
      const { asset, priceUSD } = checkPin(request.body);
      return desk.pin(asset, priceUSD);
    });
  };
}
