// What is refused with 503 when more comes than can be answered in time: new orders first, everything when nothing moves any more.
import { LIMITS, PresageError } from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toRateKey } from './client-address.ts';
import type { OrderGate } from './order-gate.ts';
import { SCREENS } from './routes/page.ts';

const LOOK_EVERY_MS = 250;
/** An order is about as long; a batch counts by its length, which is known before it is read. */
const WORK_BYTES = 1_024;
/** The page too: it costs little, and it is what says that the service is busy. */
const NEVER_SHED = new Set(['/health', '/ready', '/metrics', ...SCREENS, '/assets/:file']);

/** By how late a timer is: nothing is answered in time any more when it is as late as the limit. */
export function shedLoad(server: FastifyInstance, gate: OrderGate): void {
  let lookedMs = performance.now();
  let isStuck = false;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - lookedMs;
    lookedMs += elapsedMs;
    isStuck = elapsedMs - LOOK_EVERY_MS >= LIMITS.shedAfterMs;
    gate.look(elapsedMs);
  }, LOOK_EVERY_MS);
  timer.unref();
  server.addHook('onClose', async () => clearInterval(timer));
  server.addHook('onRequest', (request, _reply, next) => {
    if (isStuck && !NEVER_SHED.has(request.routeOptions.url ?? '')) throw new PresageError('overloaded');
    next();
  });
}

/** After it is known whose request it is. */
export function gateOrders(server: FastifyInstance, gate: OrderGate): void {
  server.addHook('onRequest', (request, reply, next) => {
    if (!request.routeOptions.config.isShedFirst || passGate(gate, request, reply)) return next();
    // As late as an answer would have come: to ask again at once must not pay, and refusals must not take the time of answers.
    setTimeout(() => next(new PresageError('overloaded')), LIMITS.orderWaitMs);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isShedFirst?: boolean;
  }
}

function passGate(gate: OrderGate, request: FastifyRequest, reply: FastifyReply): boolean {
  const caller = toRateKey(request.address);
  const work = Math.ceil(Number(request.headers['content-length'] ?? LIMITS.bodyBytes) / WORK_BYTES) || 1;
  if (!gate.enter(caller, work)) return false;
  // Of every answer there is one, sent or not; a caller who left has no "finish".
  reply.raw.once('close', () => gate.leave(caller, work, reply.statusCode === 200 ? reply.elapsedTime : undefined));
  return true;
}
