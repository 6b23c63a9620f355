// Fills the twenty minutes of price history from the primary's own: at a first start, after an outage, and after time travel.
import { LIMITS } from '@presage/protocol';
import type { Price } from './ports.ts';

interface HistoryFillOptions {
  /** Service time. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  /** The primary's prices at a time, of every asset. */
  readonly ask: (timeSeconds: number) => Promise<readonly Price[]>;
  /** Whether some asset has no price from one time on and before another. */
  readonly isMissing: (fromMs: number, toMs: number) => boolean;
  readonly keep: (prices: readonly Price[]) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
}

/** A chart of twenty minutes needs no more, and a public endpoint takes sixty questions without complaint. */
const STEP_SECONDS = 20;
const RETRY_MS = 5_000;
/** The live stream fills the last step by itself. */
const STEP_MS = STEP_SECONDS * 1_000;

export class HistoryFill {
  readonly #options: HistoryFillOptions;
  /** Service time less wall time when the history was last whole. */
  #filledAtOffsetMs: number | undefined;
  #triedMs = Number.NEGATIVE_INFINITY;
  #filling: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: HistoryFillOptions) {
    this.#options = options;
  }

  /** Begins where there may be a gap: once after the start, and whenever the clock was moved. */
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

  /** Newest first: that is what is looked at. */
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
