// The service's clock as the page knows it: adjusted with every message, published every second.
import { Store } from './store.ts';

/** Smaller differences are network delay, not clock drift. */
const TOLERATED_MS = 750;
const TICK_MS = 200;

export class PageClock {
  /** Unix seconds; changes once a second. */
  readonly seconds = new Store(Math.floor(Date.now() / 1_000));
  #offsetMs: number | undefined;

  start(): () => void {
    const timer = setInterval(() => this.seconds.set(Math.floor(this.nowMs() / 1_000)), TICK_MS);
    return () => clearInterval(timer);
  }

  nowMs(): number {
    return Date.now() + (this.#offsetMs ?? 0);
  }

  /** Adjusts the clock to a message's time; in a sandbox it can jump by days. */
  learn(serviceMs: number): void {
    const offsetMs = serviceMs - Date.now();
    if (this.#offsetMs !== undefined && Math.abs(offsetMs - this.#offsetMs) < TOLERATED_MS) return;
    this.#offsetMs = offsetMs;
    this.seconds.set(Math.floor(this.nowMs() / 1_000));
  }
}
