// The sandbox's demo maker, on and off.
import { MakerInput } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../bodies.ts';

export interface MakerPort {
  /** Durable when it resolves. */
  set(running: boolean): Promise<boolean>;
}

const checkMaker = bodyOf(MakerInput);

export function sandboxMakerRoutes(service: MakerPort) {
  return (server: FastifyInstance): void => {
    server.post('/sandbox/maker', async (request) => ({
      running: await service.set(checkMaker(request.body).running),
    }));
  };
}
