// What is refused with 503 when more comes than can be answered in time: new orders first, everything when nothing moves any more.
import { LIMITS, PresageError } from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { toRateKey } from './client-address.ts';
import type { OrderGate } from './order-gate.ts';
import { SCREENS } from './routes/page.ts';
import type { ReceiveBody } from './whole-bodies.ts';

const LOOK_EVERY_MS = 125;
/** To ask again at once must not pay, and refusals must not take the time of answers: a flood that is refused at once is only asked again. */
const REFUSED_AFTER_MS = 750;
/** Not all at the same moment, or they would come back at the same moment, too. */
const REFUSED_WITHIN_MS = 500;
const REFUSAL_STEPS = 64;
/** An order is about as long; a batch counts by its length. */
const WORK_BYTES = 1_024;
/** The page too: it costs little, and it is what says that the service is busy. */
const NEVER_SHED = new Set(['/health', '/ready', '/metrics', ...SCREENS, '/assets/:file']);

/** Once, instead of a line for each refusal: there may be thousands in a second. */
const FLOODED = 'more new orders come than are answered: what has no turn soon is refused with 503';
const DRAINED = 'all new orders are answered again';

/** What had come by the time of a look that was late is read after it, some of it only after the next one. */
const STUCK_LOOKS = 2;

/** By how late a timer is: nothing is answered in time any more when it is as late as the limit. */
export function shedLoad(server: FastifyInstance, gate: OrderGate, warn: (message: string) => void): void {
  let lookedMs = performance.now();
  let stuckLooks = 0;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - lookedMs;
    lookedMs += elapsedMs;
    stuckLooks = elapsedMs - LOOK_EVERY_MS >= LIMITS.shedAfterMs ? STUCK_LOOKS : Math.max(0, stuckLooks - 1);
    const wasFlooded = gate.isFlooded;
    gate.look(lookedMs);
    if (gate.isFlooded !== wasFlooded) warn(gate.isFlooded ? FLOODED : DRAINED);
  }, LOOK_EVERY_MS);
  timer.unref();
  server.addHook('onClose', async () => clearInterval(timer));
  server.addHook('onRequest', (request, _reply, next) => {
    if (stuckLooks > 0 && !NEVER_SHED.has(request.routeOptions.url ?? '')) throw new PresageError('overloaded');
    next();
  });
}

/** After it is known whose request it is. An order comes here when its body is there: one that never comes takes no turn. */
export function gateOrders(server: FastifyInstance, gate: OrderGate, receive: ReceiveBody): void {
  let refusals = 0;
  const enter = (request: FastifyRequest, reply: FastifyReply, next: HookHandlerDoneFunction): void => {
    const cameMs = performance.now();
    const refuse = () => {
      request.isShed = true;
      next(new PresageError('overloaded'));
    };
    const turn = gate.enter(toRateKey(request.address), workOf(request), cameMs, (isIn) => {
      if (isIn) return next();
      const afterMs = REFUSED_AFTER_MS + (REFUSED_WITHIN_MS * (refusals++ % REFUSAL_STEPS)) / REFUSAL_STEPS;
      setTimeout(refuse, cameMs + afterMs - performance.now());
    });
    // Of every answer there is one, sent or not; a caller who left has no "finish".
    reply.raw.once('close', () => gate.leave(turn, performance.now(), reply.statusCode === 200));
  };
  server.decorateRequest('isShed', false);
  server.addHook('onRequest', (request, reply, next) => {
    if (!request.routeOptions.config.isShedFirst) return next();
    receive(request, (refusal) => (refusal === undefined ? enter(request, reply, next) : next(refusal)));
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Refused for the load: an order that had no turn, or a body for which there was no room. */
    isShed: boolean;
  }
  interface FastifyContextConfig {
    readonly isShedFirst?: boolean;
  }
}

function workOf(request: FastifyRequest): number {
  const bytes = request.receivedBody?.length ?? Number(request.headers['content-length']);
  return Math.ceil(bytes / WORK_BYTES) || 1;
}
