// How many new orders may wait for their answers, and whose are refused when that is too many.
import { LIMITS } from '@presage/protocol';

/** Looks in a row at which hardly any answer came in time: a burst that passes by itself is not refused. */
const LATE_LOOKS = 4;
const IN_TIME_SHARE = 0.1;

/**
 * How much may wait. Nothing is refused until answers are late for a second; then no more is let in than is answered within the wait, and a
 * caller with less under way than others is refused last. Cancels never come here.
 */
export class OrderGate {
  readonly #underWay = new Map<string, number>();
  #total = 0;
  #most = Number.POSITIVE_INFINITY;
  #answered = 0;
  #inTime = 0;
  #lateLooks = 0;
  #refused = 0;

  enter(caller: string, work: number): boolean {
    if (!this.#mayEnter(caller)) {
      this.#refused++;
      return false;
    }
    this.#total += work;
    this.#underWay.set(caller, (this.#underWay.get(caller) ?? 0) + work);
    return true;
  }

  /** Without a time when it was not accepted: what is refused at once says nothing about how long others wait. */
  leave(caller: string, work: number, acceptedAfterMs?: number): void {
    this.#total -= work;
    const left = (this.#underWay.get(caller) ?? 0) - work;
    if (left > 0) this.#underWay.set(caller, left);
    else this.#underWay.delete(caller);
    if (acceptedAfterMs === undefined) return;
    this.#answered += work;
    if (acceptedAfterMs <= LIMITS.orderWaitMs) this.#inTime += work;
  }

  look(elapsedMs: number): void {
    const isLate = this.#total > 0 && this.#inTime <= this.#answered * IN_TIME_SHARE;
    this.#lateLooks = isLate ? this.#lateLooks + 1 : 0;
    const isOpen = this.#most === Number.POSITIVE_INFINITY;
    const isOverloaded = isOpen ? this.#lateLooks >= LATE_LOOKS : this.#refused > 0;
    const answeredInTime = (this.#answered / elapsedMs) * LIMITS.orderWaitMs;
    this.#most = isOverloaded ? Math.max(LIMITS.ordersWaiting, answeredInTime) : Number.POSITIVE_INFINITY;
    this.#answered = 0;
    this.#inTime = 0;
    this.#refused = 0;
  }

  #mayEnter(caller: string): boolean {
    if (this.#total < this.#most) return true;
    const own = this.#underWay.get(caller) ?? 0;
    const callers = this.#underWay.size + (own === 0 ? 1 : 0);
    return callers <= this.#most && own < this.#most / callers;
  }
}
