// Sheds load with 503 when more requests come than can be answered in time: new orders first, everything if the process is stuck.
import { LIMITS, PresageError } from '@presage/protocol';
import type { OrderTurn } from '../host/ports.ts';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest } from './http/request.ts';
import type { OrderGate, Turn } from './order-gate.ts';
import type { ReceiveBody } from './received-bodies.ts';
import { toRateKey } from './request-origin.ts';
import { SCREENS } from './routes/page.ts';

const LOOK_EVERY_MS = 125;
/** Delay of a refusal: an immediate retry must not pay off, and refusals must not take time from answers. */
const REFUSED_AFTER_MS = 750;
/** Spread of the delays, so that retries do not arrive together either. */
const REFUSED_WITHIN_MS = 500;
const REFUSAL_STEPS = 64;
/** Body length that counts as one order; a batch counts by its length. */
const WORK_BYTES = 1_024;
/** Paths that are never shed. Includes the page: it costs little, and it tells people that the service is busy. */
const NEVER_SHED = new Set(['/health', '/ready', '/metrics', ...SCREENS, '/assets/:file']);

/** Logged once per flood, since there may be thousands of refusals a second. */
const FLOODED = 'order flood: orders without a turn soon are refused with 503';
const DRAINED = 'order flood over: all new orders are answered again';

/** Checks during which load is shed after a late one: requests from before it are read after it, some only after the next. */
const STUCK_LOOKS = 2;
/** Requests answered between two checks even then, so that a lightly loaded process refuses nothing after a pause. */
const STUCK_REQUESTS = 64;

interface LoadShedding {
  /** Throws if the request could not be answered in time. */
  readonly check: (request: HttpRequest) => void;
  readonly close: () => void;
}

/** Sheds load by the lag of a timer: once it exceeds the limit, all but a few waiting requests are refused. */
export function shedLoad(gate: OrderGate, warn: (message: string) => void): LoadShedding {
  let lookedMs = performance.now();
  let stuckLooks = 0;
  let taken = 0;
  const timer = setInterval(() => {
    const elapsedMs = performance.now() - lookedMs;
    lookedMs += elapsedMs;
    taken = 0;
    stuckLooks = elapsedMs - LOOK_EVERY_MS >= LIMITS.shedAfterMs ? STUCK_LOOKS : Math.max(0, stuckLooks - 1);
    const wasFlooded = gate.isFlooded;
    gate.look(lookedMs);
    if (gate.isFlooded !== wasFlooded) warn(gate.isFlooded ? FLOODED : DRAINED);
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    check: ({ route }) => {
      if (stuckLooks === 0 || NEVER_SHED.has(route?.path ?? '') || taken++ < STUCK_REQUESTS) return;
      throw new PresageError('overloaded');
    },
    close: () => clearInterval(timer),
  };
}

/** Calls `next` when it is the order's turn, or with its refusal. */
type EnterGate = (request: HttpRequest, reply: HttpReply, next: (refusal?: PresageError) => void) => void;

/** Queues orders at the gate. Needs the client's address. An order enters with its whole body, so that an unfinished body takes no turn. */
export function gateOrders(gate: OrderGate, receive: ReceiveBody): EnterGate {
  let refusals = 0;
  const enter: EnterGate = (request, reply, next) => {
    const cameMs = performance.now();
    const refuse = () => {
      request.isShed = true;
      next(new PresageError('overloaded'));
    };
    const turn = gate.enter(toRateKey(request.address), workOf(request), cameMs, (isIn, own) => {
      if (isIn) {
        request.turn = toOrderTurn(gate, own);
        return next();
      }
      const afterMs = REFUSED_AFTER_MS + (REFUSED_WITHIN_MS * (refusals++ % REFUSAL_STEPS)) / REFUSAL_STEPS;
      setTimeout(refuse, cameMs + afterMs - performance.now());
    });
    const leave = () => gate.leave(turn, performance.now(), reply.statusCode === 200);
    // Leaves when the answer is written, not when it is read: behind an unread answer this one would keep its turn. In a microtask,
    // because the next order may be refused at once, and so may the one behind it.
    reply.whenWritten(() => queueMicrotask(leave));
    // A caller who left never gets a written answer.
    reply.raw.once('close', leave);
  };
  return (request, reply, next) =>
    receive(request, (refusal) => (refusal === undefined ? enter(request, reply, next) : next(refusal)));
}

function workOf(request: HttpRequest): number {
  const bytes = request.receivedBody?.length ?? Number(request.headers['content-length']);
  return Math.ceil(bytes / WORK_BYTES) || 1;
}

/** Wait for another node after which an order lends its turn; a faster answer needs no lending. */
const LATE_MS = 250;

export function toOrderTurn(gate: OrderGate, turn: Turn): OrderTurn {
  const lend = <T>(answer: Promise<T>) => gate.whileOut(turn, answer, () => performance.now());
  return {
    whileOut: (answer, giveBack = () => undefined) => {
      const lent = lend(answer);
      if (lent !== undefined) return lent;
      answer.then(giveBack, () => undefined);
      return Promise.reject(new PresageError('overloaded'));
    },
    whileLate: (answer) => {
      const late = setTimeout(() => void lend(answer)?.catch(() => undefined), LATE_MS);
      return answer.finally(() => clearTimeout(late));
    },
  };
}
