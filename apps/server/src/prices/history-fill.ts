// Fills gaps in twenty minutes of price history from the primary's history: at a first start, after an outage, after time travel.
import { LIMITS } from '@presage/protocol';
import type { Price } from './ports.ts';

interface HistoryFillOptions {
  /** Service time. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** Queries the primary's prices of every asset at a given time. */
  readonly ask: (timeSeconds: number) => Promise<readonly Price[]>;
  /** Whether any asset lacks a price in [fromMs, toMs). */
  readonly isMissing: (fromMs: number, toMs: number) => boolean;
  readonly keep: (prices: readonly Price[]) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
}

/** Interval of filled prices: dense enough for a chart of twenty minutes, few enough requests for a public endpoint. */
const STEP_SECONDS = 20;
const RETRY_MS = 5_000;
const STEP_MS = STEP_SECONDS * 1_000;

export class HistoryFill {
  readonly #options: HistoryFillOptions;
  /** Offset of the service clock from wall time when the history was last complete. */
  #filledAtOffsetMs: number | undefined;
  #triedMs = Number.NEGATIVE_INFINITY;
  #filling: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: HistoryFillOptions) {
    this.#options = options;
  }

  /** Requests a new fill after an outage, whose prices the primary has by now. */
  refill(): void {
    this.#filledAtOffsetMs = undefined;
  }

  /** Starts a fill if there may be a gap: after the start, after an outage, and whenever the clock was moved. */
  tick(): void {
    const { nowMs, wallMs } = this.#options;
    const offsetMs = nowMs() - wallMs();
    const isWhole = this.#filledAtOffsetMs !== undefined && Math.abs(offsetMs - this.#filledAtOffsetMs) < 1_000;
    if (isWhole || this.#filling !== undefined || wallMs() - this.#triedMs < RETRY_MS) return;
    this.#triedMs = wallMs();
    this.#filling = this.#fill()
      .then(() => {
        this.#filledAtOffsetMs = offsetMs;
      })
      .catch(this.#options.onTrouble)
      .finally(() => {
        this.#filling = undefined;
        this.#triedMs = this.#filledAtOffsetMs === offsetMs ? Number.NEGATIVE_INFINITY : wallMs();
      });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#filling;
  }

  /** Fills gaps, newest first, because those are shown. Leaves out the current step, which the live stream fills. */
  async #fill(): Promise<void> {
    const { nowMs, isMissing, ask, keep } = this.#options;
    const now = Math.floor(nowMs() / STEP_MS) * STEP_SECONDS;
    for (let time = now - STEP_SECONDS; time > now - LIMITS.priceHistorySeconds; time -= STEP_SECONDS) {
      if (this.#isClosed) return;
      if (!isMissing(time * 1_000, time * 1_000 + STEP_MS)) continue;
      const prices = await ask(time);
      await keep(prices.filter(({ timeMs }) => timeMs < time * 1_000 + STEP_MS));
    }
  }
}
