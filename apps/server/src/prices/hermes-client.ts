// Client of Pyth's Hermes: latest prices, prices at a time, and the price stream.
import { readBoundedText } from '@presage/runtime';
import { createParser } from 'eventsource-parser';
import { type HermesMessage, parseHermes } from './hermes-message.ts';
import { parseRetryAfterMs, SourceRefused } from './source-runner.ts';

export interface HermesClientOptions {
  readonly url: string;
  readonly key?: string;
  /** Silence after which the connection counts as dead. */
  readonly silenceMs?: number;
  /** Time for an answer, or for the head of a stream. */
  readonly answerMs?: number;
}

const ANSWER_TIMEOUT_MS = 5_000;
/** Default silence; Hermes publishes several times a second. */
const SILENCE_MS = 10_000;
/** Limit on an answer, or on an event of the stream; those for two assets have some kilobytes. */
const MOST_BYTES = 1024 * 1024;

export class HermesClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #silenceMs: number;
  readonly #answerMs: number;

  constructor({ url, key, silenceMs = SILENCE_MS, answerMs = ANSWER_TIMEOUT_MS }: HermesClientOptions) {
    this.#url = url;
    this.#silenceMs = silenceMs;
    this.#answerMs = answerMs;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  urlOf(path: string, feedIds: readonly string[]): string {
    const ids = feedIds.map((id) => `ids[]=${id}`).join('&');
    return `${this.#url}/v2/updates/price/${path}?${ids}&encoding=hex&parsed=true`;
  }

  async latest(feedIds: readonly string[], signal?: AbortSignal): Promise<HermesMessage> {
    return parseHermes(await this.#get(this.urlOf('latest', feedIds), toText, signal));
  }

  /** First updates at or after a time; undefined while there are none. */
  async at(feedIds: readonly string[], timeSeconds: number): Promise<HermesMessage | undefined> {
    try {
      return parseHermes(await this.#get(this.urlOf(String(timeSeconds), feedIds), toText));
    } catch (error) {
      if (error instanceof SourceRefused && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Passes on every readable event until the stream ends; rejects if it breaks, is refused or falls silent. */
  async follow(feedIds: readonly string[], signal: AbortSignal, onText: (text: string) => void): Promise<void> {
    const silence = new AbortController();
    const signals = AbortSignal.any([signal, silence.signal]);
    const body = await this.#get(this.urlOf('stream', feedIds), async (response) => response.body, signals);
    const parser = createParser({
      onEvent: ({ data }) => onText(data),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error;
      },
      maxBufferSize: MOST_BYTES,
    });
    const decoder = new TextDecoder();
    const silenceMs = this.#silenceMs;
    const watch = setTimeout(() => silence.abort(new Error(`silent for ${silenceMs} ms`)), silenceMs);
    try {
      for await (const chunk of body ?? []) {
        watch.refresh();
        parser.feed(decoder.decode(chunk, { stream: true }));
      }
    } finally {
      clearTimeout(watch);
    }
  }

  /** Requests a URL. The timeout covers only what `read` awaits, since a stream may last for ever. */
  async #get<T>(url: string, read: (response: Response) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const impatience = new AbortController();
    const timer = setTimeout(() => impatience.abort(new Error('no answer in time')), this.#answerMs);
    try {
      const signals = [impatience.signal, ...(signal ? [signal] : [])];
      const response = await fetch(url, { headers: this.#headers, signal: AbortSignal.any(signals) });
      if (response.ok) return await read(response);
      await response.body?.cancel();
      throw new SourceRefused(response.status, parseRetryAfterMs(response.headers.get('retry-after')));
    } finally {
      clearTimeout(timer);
    }
  }
}

function toText(response: Response): Promise<string> {
  return readBoundedText(response, MOST_BYTES);
}
