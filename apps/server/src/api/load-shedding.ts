// What is refused with 503 when more comes than can be answered in time: new orders first, everything when nothing moves any more.
import { LIMITS, PresageError } from '@presage/protocol';
import type { HttpReply } from './http/reply.ts';
import type { HttpRequest } from './http/request.ts';
import type { ReceiveBody } from './received-bodies.ts';
import { toRateKey } from './request-origin.ts';
import { SCREENS } from './routes/page.ts';

const LOOK_EVERY_MS = 125;
/** Delay of a refusal: retrying at once must not pay, and refusals must not take time from answers. */
const REFUSED_AFTER_MS = 750;
/** Spread of the delays, so that the retries do not arrive together either. */
const REFUSED_WITHIN_MS = 500;
const REFUSAL_STEPS = 64;
/** About the length of one order; a batch counts by its length. */
const WORK_BYTES = 1_024;
/** Includes the page: it costs little, and it tells people that the service is busy. */
const NEVER_SHED = new Set(['/health', '/ready', '/metrics', ...SCREENS, '/assets/:file']);

/** Logged once instead of for each refusal: there may be thousands in a second. */
const FLOODED = 'order flood: orders without a turn soon are refused with 503';
const DRAINED = 'order flood over: all new orders are answered again';

/** Requests that arrived before a late check are read after it, some of them only after the next one. */
const STUCK_LOOKS = 2;
/** Requests answered even then between two checks: after a pause, a process under little load refuses nothing. */
const STUCK_REQUESTS = 64;

interface LoadShedding {
  /** Throws if it would not be answered in time. */
  readonly check: (request: HttpRequest) => void;
  readonly close: () => void;
}

/** Measures the lag of a timer: once it exceeds the limit, waiting requests cannot be answered in time, except a few. */
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

/** Calls `next` when the order's turn has come, or with its refusal. */
type EnterGate = (request: HttpRequest, reply: HttpReply, next: (refusal?: PresageError) => void) => void;

/** The client of a request must be known. An order enters with its whole body: a body that never arrives takes no turn. */
export function gateOrders(gate: OrderGate, receive: ReceiveBody): EnterGate {
  let refusals = 0;
  const enter: EnterGate = (request, reply, next) => {
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
    const leave = () => gate.leave(turn, performance.now(), reply.statusCode === 200);
    // Behind an answer that its client does not read, this one would keep its turn. Later in the same turn of the loop, because the next
    // order may be refused at once, and so may the one behind it.
    reply.whenWritten(() => queueMicrotask(leave));
    // A caller who left is answered nothing.
    reply.raw.once('close', leave);
  };
  return (request, reply, next) =>
    receive(request, (refusal) => (refusal === undefined ? enter(request, reply, next) : next(refusal)));
}

function workOf(request: HttpRequest): number {
  const bytes = request.receivedBody?.length ?? Number(request.headers['content-length']);
  return Math.ceil(bytes / WORK_BYTES) || 1;
}

/** Target time from an order's turn to its answer while others wait; beyond it, more concurrency does not help. */
const SERVED_MS = 25;
/** If even a lone order takes long, as over a slow link, the target is this multiple of its time. */
const SERVED_TIMES = 2;
/** Factor by which the limit grows at a check, and the most by which it shrinks. */
const GROWTH = 1.25;
const SHRINKAGE = 0.5;
/** Factor by which the best known time grows at a check without waiting orders. */
const BEST_DRIFT = 1.01;
/** A flood, not a burst: the queue never emptied, an order waited this long, and nearly as many arrived as left. */
const FLOOD_FROM_MS = 125;
const FLOOD_SHARE = 0.5;
/** A caller with at most this many waiting orders is not flooding and may wait as long as in a burst. */
const FEW = 4;
/** Consecutive checks without a refusal that end a flood. */
const CALM_LOOKS = 8;

/** One request with new orders; `work` is their approximate number. */
export interface Turn {
  readonly caller: string;
  readonly work: number;
  readonly cameMs: number;
  /** Called once: when its turn comes, or when it has waited too long. */
  readonly decide: (isIn: boolean) => void;
  state: 'waiting' | 'under way' | 'over';
  startedMs: number;
}

/**
 * First come, first served, but callers take turns: a caller with one order waits for at most one order of each other caller. A burst waits
 * for up to a second; in a flood, orders that get no turn soon are refused, so that the rest is answered quickly.
 * Cancels do not pass this gate.
 */
export class OrderGate {
  /** Waiting turns of each caller, in the order in which callers are served. */
  readonly #queues = new Map<string, Turn[]>();
  #waiting = 0;
  #underWay = 0;
  #most: number = LIMITS.ordersUnderWay;
  #bestMs = Number.POSITIVE_INFINITY;
  #isFlooded = false;
  #calmLooks = 0;
  #sinceLook = newLook(true);

  /** Whether more orders keep arriving than are answered. */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  enter(caller: string, work: number, nowMs: number, decide: (isIn: boolean) => void): Turn {
    const turn: Turn = { caller, work, cameMs: nowMs, decide, state: 'waiting', startedMs: nowMs };
    this.#sinceLook.came += work;
    if (this.#waiting >= LIMITS.ordersWaiting && !this.#makeRoom(caller)) this.#refuse(turn);
    else if (this.#waiting === 0 && this.#underWay < this.#most) this.#begin(turn, nowMs);
    else this.#wait(turn);
    return turn;
  }

  /** Ends a turn when it is answered or its caller has left. */
  leave(turn: Turn, nowMs: number, isAccepted: boolean): void {
    if (turn.state === 'waiting') this.#forget(turn);
    if (turn.state === 'under way') {
      this.#underWay -= turn.work;
      this.#sinceLook.went += turn.work;
      // What is refused at once says nothing about how long others take.
      if (isAccepted) {
        this.#sinceLook.accepted += turn.work;
        this.#sinceLook.servedMs += (nowMs - turn.startedMs) * turn.work;
      }
    }
    turn.state = 'over';
    this.#beginNext(nowMs);
  }

  /** Runs periodically: adapts the limit, and refuses orders that have waited too long. */
  look(nowMs: number): void {
    const { came, went, accepted, refused, servedMs, hasWaited, wasEmpty } = this.#sinceLook;
    const isGrowing = !wasEmpty && went > 0 && came >= went * FLOOD_SHARE;
    this.#calmLooks = refused === 0 ? this.#calmLooks + 1 : 0;
    if (isGrowing && this.#longestWaitMs(nowMs) > FLOOD_FROM_MS) this.#isFlooded = true;
    else if (this.#calmLooks >= CALM_LOOKS) this.#isFlooded = false;
    if (accepted > 0) this.#adapt(servedMs / accepted, hasWaited);
    this.#sinceLook = newLook(this.#waiting === 0);
    for (const queue of this.#queues.values()) this.#refuseOld(queue, nowMs);
    this.#beginNext(nowMs);
  }

  #adapt(servedMs: number, hasWaited: boolean): void {
    this.#bestMs = Math.min(servedMs, hasWaited ? this.#bestMs : this.#bestMs * BEST_DRIFT);
    if (!hasWaited) return;
    const aimMs = Math.max(SERVED_MS, this.#bestMs * SERVED_TIMES);
    const most = this.#most * (servedMs <= aimMs ? GROWTH : Math.max(SHRINKAGE, aimMs / servedMs));
    this.#most = Math.min(LIMITS.ordersWaiting, Math.max(LIMITS.ordersUnderWay, most));
  }

  #longestWaitMs(nowMs: number): number {
    const waits = [...this.#queues.values()].map(([first]) => nowMs - (first?.cameMs ?? nowMs));
    return Math.max(0, ...waits);
  }

  /** The caller with most waiting turns loses its last one, if it has more than the newcomer will have. */
  #makeRoom(newcomer: string): boolean {
    let longest: Turn[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= (this.#queues.get(newcomer)?.length ?? 0) + 1) return false;
    this.#waiting -= 1;
    this.#refuse(longest.pop()!);
    return true;
  }

  #wait(turn: Turn): void {
    const queue = this.#queues.get(turn.caller);
    if (queue === undefined) this.#queues.set(turn.caller, [turn]);
    else queue.push(turn);
    this.#waiting += 1;
    this.#sinceLook.hasWaited = true;
  }

  /** Removes a turn whose caller has left. */
  #forget(turn: Turn): void {
    const queue = this.#queues.get(turn.caller);
    queue?.splice(queue.indexOf(turn), 1);
    this.#waiting -= 1;
  }

  #begin(turn: Turn, nowMs: number): void {
    turn.state = 'under way';
    turn.startedMs = nowMs;
    this.#underWay += turn.work;
    turn.decide(true);
  }

  #beginNext(nowMs: number): void {
    while (this.#underWay < this.#most) {
      const [next] = this.#queues;
      if (next === undefined) break;
      const [caller, queue] = next;
      this.#refuseOld(queue, nowMs);
      const turn = queue.shift();
      // Moves the caller behind all others.
      this.#queues.delete(caller);
      if (queue.length > 0) this.#queues.set(caller, queue);
      if (turn === undefined) continue;
      this.#waiting -= 1;
      this.#begin(turn, nowMs);
    }
    if (this.#waiting === 0) this.#sinceLook.wasEmpty = true;
  }

  /** Refuses turns that waited too long; those are at the front. */
  #refuseOld(queue: Turn[], nowMs: number): void {
    const waitMs = this.#isFlooded && queue.length > FEW ? LIMITS.floodWaitMs : LIMITS.orderWaitMs;
    const young = queue.findIndex(({ cameMs }) => nowMs - cameMs <= waitMs);
    for (const turn of queue.splice(0, young === -1 ? queue.length : young)) {
      this.#waiting -= 1;
      this.#refuse(turn);
    }
  }

  #refuse(turn: Turn): void {
    turn.state = 'over';
    this.#sinceLook.refused += 1;
    turn.decide(false);
  }
}

function newLook(wasEmpty: boolean) {
  return { came: 0, went: 0, accepted: 0, refused: 0, servedMs: 0, hasWaited: false, wasEmpty };
}
