// What is refused with 503 when more comes than can be answered in time: new orders first, everything when nothing moves any more.
import { LIMITS, PresageError } from '@presage/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toRateKey } from './client-address.ts';
import type { OrderGate } from './order-gate.ts';
import { SCREENS } from './routes/page.ts';

const LOOK_EVERY_MS = 125;
/** To ask again at once must not pay, and refusals must not take the time of answers: a flood that is refused at once is only asked again. */
const REFUSED_AFTER_MS = 750;
/** Not all at the same moment, or they would come back at the same moment, too. */
const REFUSED_WITHIN_MS = 500;
const REFUSAL_STEPS = 64;
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
    gate.look(lookedMs);
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
  let refusals = 0;
  server.addHook('onRequest', (request, reply, next) => {
    if (!request.routeOptions.config.isShedFirst) return next();
    const cameMs = performance.now();
    const refuse = () => next(new PresageError('overloaded'));
    const turn = gate.enter(toRateKey(request.address), workOf(request), cameMs, (isIn) => {
      if (isIn) return next();
      const afterMs = REFUSED_AFTER_MS + (REFUSED_WITHIN_MS * (refusals++ % REFUSAL_STEPS)) / REFUSAL_STEPS;
      setTimeout(refuse, cameMs + afterMs - performance.now());
    });
    // Of every answer there is one, sent or not; a caller who left has no "finish".
    reply.raw.once('close', () => gate.leave(turn, performance.now(), reply.statusCode === 200));
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isShedFirst?: boolean;
  }
}

function workOf(request: FastifyRequest): number {
  return Math.ceil(Number(request.headers['content-length'] ?? LIMITS.bodyBytes) / WORK_BYTES) || 1;
}
