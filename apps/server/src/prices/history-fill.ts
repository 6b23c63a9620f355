// Fills the twenty minutes of price history from the primary's own: at a first start, after an outage, and after time travel.
import { LIMITS } from '@presage/protocol';
import type { Price } from './ports.ts';

interface HistoryFillOptions {
  /** Service time. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** Prices of every asset from the primary, at a given time. */
  readonly ask: (timeSeconds: number) => Promise<readonly Price[]>;
  /** Whether some asset has no price in [fromMs, toMs). */
  readonly isMissing: (fromMs: number, toMs: number) => boolean;
  readonly keep: (prices: readonly Price[]) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
}

/** Enough for a chart of twenty minutes, and few enough requests for a public endpoint. */
const STEP_SECONDS = 20;
const RETRY_MS = 5_000;
/** The live stream fills the last step by itself. */
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

  /** The prices are back after an outage, in which nobody was asked for those that the primary has by now. */
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

  /** Fills newest prices first, because those are shown. */
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
