// The sandbox's demo maker, on and off.
import { MakerWish } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bodyOf } from '../bodies.ts';

export interface MakerDesk {
  /** Durable when it resolves. */
  set(running: boolean): Promise<boolean>;
}

const checkMaker = bodyOf(MakerWish);

export function sandboxMakerRoutes(desk: MakerDesk) {
  return (server: FastifyInstance): void => {
    server.post('/sandbox/maker', async (request) => ({ running: await desk.set(checkMaker(request.body).running) }));
  };
}
