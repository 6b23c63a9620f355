// Queues new orders fairly: callers take turns, and an order that waits for another party lends its turn to others.
import { LIMITS } from '@presage/protocol';

/** Target time from an order's turn to its answer while others wait; beyond it, more concurrency does not help. */
const SERVED_MS = 25;
/** If even a lone order takes long, as over a slow link, the target is this multiple of its time. */
const SERVED_TIMES = 2;
/** Factor by which the limit grows at a check, and the most by which it shrinks. */
const GROWTH = 1.25;
const SHRINKAGE = 0.5;
/** Factor by which the best known time grows at a check without waiting orders. */
const BEST_DRIFT = 1.01;
/** Signs of a flood, not a burst: the queue never emptied, an order waited this long, and arrivals were this share of departures. */
const FLOOD_FROM_MS = 125;
const FLOOD_SHARE = 0.5;
/** A caller with at most this many waiting orders is not flooding; its orders may wait as long as in a burst. */
const FEW = 4;
/** Divisor of the limit on outside answers: one caller may wait for this part of them at most. */
const OUT_SHARES = 4;
/** Consecutive checks without a refusal that end a flood. */
const CALM_LOOKS = 8;

type Decide = (isIn: boolean, turn: Turn) => void;

/** One request with new orders; `work` is their approximate number. */
export interface Turn {
  readonly caller: string;
  readonly work: number;
  readonly cameMs: number;
  /** Called once: when its turn comes, or when it has waited too long. */
  readonly decide: Decide;
  state: 'waiting' | 'under way' | 'over';
  startedMs: number;
  /** Number of outside answers that it waits for, and since when. While there are any, others have its turn. */
  out: number;
  outSinceMs: number;
}

/**
 * Serves orders first come, first served, but with callers in turn: a caller with one order waits for at most one order of each
 * other caller. A burst waits for up to a second; in a flood, orders without a turn soon are refused, so that the rest is answered
 * quickly. Cancels do not pass this gate.
 */
export class OrderGate {
  /** Waiting turns of each caller, in the order in which callers are served. */
  readonly #queues = new Map<string, Turn[]>();
  #waiting = 0;
  #underWay = 0;
  /** Outside answers that orders wait for, by caller; `#out` is their total. */
  readonly #outOf = new Map<string, number>();
  #out = 0;
  #most: number = LIMITS.ordersUnderWay;
  #bestMs = Number.POSITIVE_INFINITY;
  #isFlooded = false;
  #calmLooks = 0;
  #sinceLook = newLook(true);

  /** Whether more orders keep arriving than are answered. */
  get isFlooded(): boolean {
    return this.#isFlooded;
  }

  enter(caller: string, work: number, nowMs: number, decide: Decide): Turn {
    const turn: Turn = {
      caller,
      work,
      cameMs: nowMs,
      decide,
      state: 'waiting',
      startedMs: nowMs,
      out: 0,
      outSinceMs: 0,
    };
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
      if (turn.out === 0) this.#underWay -= turn.work;
      this.#sinceLook.went += turn.work;
      // Refused orders are left out: they say nothing about the time of others.
      if (isAccepted) {
        this.#sinceLook.accepted += turn.work;
        this.#sinceLook.servedMs += (nowMs - turn.startedMs) * turn.work;
      }
    }
    turn.state = 'over';
    this.#beginNext(nowMs);
  }

  /**
   * Waits for the answer of a chain or of the operator's hook, which costs this process nothing, and lends the turn to others meanwhile:
   * otherwise strangers whose orders need a slow chain would block everybody else. Undefined if the caller, or all callers together,
   * already wait for too many.
   */
  whileOut<T>(turn: Turn, answer: Promise<T>, nowMs: () => number): Promise<T> | undefined {
    const { caller } = turn;
    const own = this.#outOf.get(caller) ?? 0;
    if (this.#out >= LIMITS.ordersOut || own >= LIMITS.ordersOut / OUT_SHARES) return undefined;
    this.#outOf.set(caller, own + 1);
    this.#out += 1;
    this.#goOut(turn, nowMs);
    const comeBack = () => this.#comeBack(turn, nowMs());
    answer.then(comeBack, comeBack);
    return answer;
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

  #goOut(turn: Turn, nowMs: () => number): void {
    if (turn.out++ > 0 || turn.state !== 'under way') return;
    turn.outSinceMs = nowMs();
    this.#underWay -= turn.work;
    // In a microtask, because the order that begins now may go out at once, and so may the one behind it.
    queueMicrotask(() => this.#beginNext(nowMs()));
  }

  #comeBack(turn: Turn, nowMs: number): void {
    const own = this.#outOf.get(turn.caller)! - 1; // counted when it went out
    if (own === 0) this.#outOf.delete(turn.caller);
    else this.#outOf.set(turn.caller, own);
    this.#out -= 1;
    if (--turn.out > 0 || turn.state !== 'under way') return;
    // Time spent outside is excluded: it says nothing about how long an order takes here.
    turn.startedMs += nowMs - turn.outSinceMs;
    this.#underWay += turn.work;
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

  /** Drops the last turn of the caller with most waiting turns, if it has more than the newcomer will have. */
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
    turn.decide(true, turn);
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

  /** Refuses turns that waited too long, which are at the front. */
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
    turn.decide(false, turn);
  }
}

function newLook(wasEmpty: boolean) {
  return { came: 0, went: 0, accepted: 0, refused: 0, servedMs: 0, hasWaited: false, wasEmpty };
}
