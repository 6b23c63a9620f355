// Prices over server-sent events: reconnects, resumes from the last event, and reports a gap when too much was missed.
import { PRICE_HISTORY_SECONDS, parseJson } from '@presage/protocol/browser';
import { Backoff, sleep } from '@presage/runtime';
import { PresageApiError } from '../errors.ts';
import type { Http } from '../http.ts';
import { toAsset } from '../inputs.ts';
import type { PriceTick } from '../types.ts';
import { EventQueue } from './event-queue.ts';
import { EventSourceReader, type ServerSentEvent } from './event-source.ts';
import type { GapEvent } from './market-follower.ts';
import { iterate, type Watch, Watchdog } from './watch.ts';

export type WatchPriceEvent = { readonly type: 'price'; readonly data: PriceTick } | GapEvent;

/** The service writes at least a comment every 15 s. */
const SILENCE_MS = 45_000;
const BACKOFF = { firstMs: 250, longestMs: 10_000 };

export function watchPrice(http: Http, text: string, signal?: AbortSignal): Watch<WatchPriceEvent> {
  const asset = toAsset(text);
  const queue = new EventQueue<WatchPriceEvent>(() => ({ type: 'gap', reason: 'too_slow' }));
  const reader = new PriceReader(http, asset, queue);
  return iterate(queue, (running, onReady) => reader.run(running, onReady), signal);
}

class PriceReader {
  readonly #http: Http;
  readonly #path: string;
  readonly #queue: EventQueue<WatchPriceEvent>;
  readonly #backoff = new Backoff(BACKOFF);
  #lastId: string | undefined;
  #lastMs: number | undefined;

  constructor(http: Http, asset: string, queue: EventQueue<WatchPriceEvent>) {
    this.#http = http;
    this.#path = `/api/v1/quick-markets/${asset}/price-stream`;
    this.#queue = queue;
  }

  async run(signal: AbortSignal, onReady: () => void): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#read(signal, onReady);
      } catch (error) {
        if (error instanceof PresageApiError && !error.retryable) throw error;
      }
      await sleep(this.#backoff.nextMs(), signal).catch(() => undefined);
    }
  }

  async #read(signal: AbortSignal, onReady: () => void): Promise<void> {
    const controller = new AbortController();
    const onAbort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const watchdog = new Watchdog(SILENCE_MS, () => controller.abort(new Error('the price stream fell silent')));
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
      };
      const { body } = await this.#http.open(this.#path, { headers, signal: controller.signal });
      if (body === null) return;
      onReady();
      const events = new EventSourceReader();
      for (const reader = body.pipeThrough(new TextDecoderStream()).getReader(); ; ) {
        const { done, value } = await reader.read();
        if (done) return;
        watchdog.feed();
        for (const event of events.read(value)) this.#accept(event);
      }
    } finally {
      watchdog.stop();
      signal.removeEventListener('abort', onAbort);
      controller.abort();
    }
  }

  #accept({ id, data }: ServerSentEvent): void {
    // This stream has no other kind of event.
    const tick = parseJson(data) as PriceTick;
    const isKnown = id !== undefined && id === this.#lastId;
    this.#backoff.reset();
    if (isKnown) return;
    if (this.#lastMs !== undefined && tick.timestamp - this.#lastMs > PRICE_HISTORY_SECONDS * 1_000) {
      this.#queue.push(() => ({ type: 'gap', reason: 'resync' }));
    }
    this.#lastId = id;
    this.#lastMs = tick.timestamp;
    this.#queue.push(() => ({ type: 'price', data: tick }));
  }
}
