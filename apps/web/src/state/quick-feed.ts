// The live quick market of an asset: the open window, its price, and the next window when this one ends.
import { sleep } from '@presage/runtime';
import type { PriceTick, PublicClient, QuickMarket } from '@presage/sdk';
import type { Point } from '../lib/line-chart.ts';
import { type Failure, mayPass, toFailure } from './failure.ts';
import type { Page } from './page-context.ts';
import type { PageClock } from './service-clock.ts';
import { FrameStore, Store } from './store.ts';

interface QuickState {
  /** The open window; undefined until it is known, null between two windows. */
  readonly window: QuickMarket | null | undefined;
  /** Resolved windows, newest first. */
  readonly results: readonly QuickMarket[];
  readonly failure: Failure | undefined;
}

export interface PriceState {
  readonly latest: PriceTick | undefined;
  /** Prices of the last twenty minutes in dollars, oldest first. */
  readonly points: readonly Point[];
}

const HISTORY_SECONDS = 1_200;
const RESULTS_SHOWN = 10;
const LOOK_MS = 1_000;
/** Looks between two reads of an open window: only time travel can end it early. */
const QUIET_LOOKS = 10;

export class QuickFeed {
  readonly asset: string;
  readonly state = new Store<QuickState>({ window: undefined, results: [], failure: undefined });
  readonly prices = new FrameStore<PriceState>({ latest: undefined, points: [] });
  readonly #reader: PublicClient;
  readonly #clock: PageClock;
  readonly #controller = new AbortController();
  #looks = 0;
  #isReading = false;

  constructor({ reader, clock }: Pick<Page, 'reader' | 'clock'>, asset: string) {
    this.asset = asset;
    this.#reader = reader;
    this.#clock = clock;
  }

  start(): () => void {
    const timer = setInterval(() => this.#look(), LOOK_MS);
    void this.reload();
    void this.#followPrice();
    return () => {
      clearInterval(timer);
      this.#controller.abort();
    };
  }

  /** Reads one at a time, so that answers never arrive out of order and a slow service is not overloaded. */
  async reload(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const options = { signal: this.#controller.signal };
    try {
      const [{ quickMarket }, { markets }] = await Promise.all([
        this.#reader.getQuickMarket(this.asset, options),
        this.#reader.listQuickMarkets(this.asset, options),
      ]);
      const results = markets.filter(({ resolved }) => resolved).slice(0, RESULTS_SHOWN);
      this.state.set({ window: quickMarket, results, failure: undefined });
    } catch (error) {
      if (!options.signal.aborted) this.state.update((state) => ({ ...state, failure: toFailure(error) }));
    } finally {
      this.#isReading = false;
    }
  }

  /** Reads every second from the end of a window until the next one, and rarely within a window. */
  #look(): void {
    const { window } = this.state.get();
    const isOver = !window || window.endTime <= this.#clock.nowMs() / 1_000;
    this.#looks += 1;
    if (isOver || this.#looks % QUIET_LOOKS === 0) void this.reload();
  }

  async #followPrice(): Promise<void> {
    const { signal } = this.#controller;
    try {
      await this.#readHistory(signal);
      for await (const event of this.#reader.watchPrice(this.asset, { signal })) {
        if (event.type === 'price') this.#onTick(event.data);
        else await this.#readHistory(signal);
      }
    } catch (error) {
      if (!signal.aborted) this.state.update((state) => ({ ...state, failure: toFailure(error) }));
    }
  }

  /** Retries until the service answers, because the price is followed only after its history is read. */
  async #readHistory(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        const { prices } = await this.#reader.getPriceHistory(this.asset, { signal });
        const points = prices.map(({ timestamp, priceUSD }) => ({ time: timestamp, value: priceUSD }));
        return this.prices.update((state) => ({ ...state, points: inOrder(points) }));
      } catch (error) {
        if (signal.aborted || !mayPass(error)) throw error;
      }
      await sleep(LOOK_MS, signal);
    }
  }

  #onTick(latest: PriceTick): void {
    const point = { time: Math.floor(latest.timestamp / 1_000), value: latest.priceUSD };
    this.prices.update(({ points }) => ({ latest, points: append(points, point) }));
  }
}

function append(points: readonly Point[], point: Point): readonly Point[] {
  const last = points.at(-1);
  if (last !== undefined && point.time < last.time) return points;
  const kept = last?.time === point.time ? points.slice(0, -1) : points;
  const tooOld = (kept[0]?.time ?? point.time) < point.time - HISTORY_SECONDS;
  return [...(tooOld ? kept.filter(({ time }) => time >= point.time - HISTORY_SECONDS) : kept), point];
}

/** The chart library requires strictly increasing times. */
function inOrder(points: readonly Point[]): Point[] {
  return [...new Map(points.map((point) => [point.time, point])).values()].sort((a, b) => a.time - b.time);
}
