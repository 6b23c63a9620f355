// The price routes behind a real HTTP server, fed by the test.

import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { LIMITS } from '@presage/protocol';
import { SILENT_LOG } from '@presage/testkit';
import { createParser } from 'eventsource-parser';
import { routesOf } from '../../src/api/endpoint.ts';
import type { Route } from '../../src/api/http/request.ts';
import { HttpListener } from '../../src/api/http-listener.ts';
import { openHttpServer } from '../../src/api/http-server.ts';
import { PriceStream } from '../../src/api/price-stream.ts';
import { priceEndpoints } from '../../src/api/routes/prices.ts';
import type { Price } from '../../src/prices/ports.ts';
import { PriceHistory } from '../../src/prices/price-history.ts';

const START_MS = 1_900_000_000_000;

export class PriceStreamFixture {
  readonly listener = new HttpListener();
  readonly stream: PriceStream;
  readonly all: Price[] = [];
  url = '';
  readonly #history = new PriceHistory([]);
  readonly #listeners = new Set<(price: Price) => void>();

  private constructor(maxBacklogBytes: number) {
    const prices = {
      has: (asset: string) => asset === 'BTC' || asset === 'ETH',
      last: (asset: string) => (asset === 'BTC' ? this.#history.last : undefined),
      history: () => this.#history.within(this.#nowMs),
      since: (_asset: string, timeMs: number) => this.#history.since(timeMs, this.#nowMs),
      sourceUrl: ({ source }: Price) => `test://${source}`,
      subscribe: (listener: (price: Price) => void) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
    this.stream = new PriceStream({ prices, maxBacklogBytes, maxReaders: 600 });
    this.routes = routesOf(priceEndpoints(prices, this.stream));
  }

  readonly routes: readonly Route[];

  static async open(maxBacklogBytes = 64 * 1024): Promise<PriceStreamFixture> {
    const fixture = new PriceStreamFixture(maxBacklogBytes);
    fixture.url = await fixture.listener.listen(0, '127.0.0.1');
    const silent = SILENT_LOG;
    const options = {
      listener: fixture.listener,
      log: silent,
      onAnswer: () => undefined,
      rateLimits: false,
      corsOrigins: '*',
    } as const;
    openHttpServer(options, [fixture.routes]);
    return fixture;
  }

  get #nowMs(): number {
    return START_MS + this.all.length * 1_000;
  }

  /** The next second's price, to everybody. */
  publish(): Price {
    const timeMs = this.#nowMs + 1_000;
    const price = {
      asset: 'BTC',
      price: 10_000_000_000_000 + this.all.length,
      timeMs,
      source: 'pyth',
      simulated: true,
    } as const;
    this.all.push(price);
    this.#history.push(price);
    for (const listener of this.#listeners) listener(price);
    return price;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  async close(): Promise<void> {
    this.stream.close();
    await this.listener.close();
  }
}

/** More than the history, so that some is forgotten. */
export const MORE_THAN_KEPT = LIMITS.priceHistorySeconds + 50;

export class StreamClient {
  readonly ids: string[] = [];
  readonly prices: number[] = [];
  readonly comments: string[] = [];
  readonly ended: Promise<'ended' | 'cut'>;
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;

  private constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    const parser = createParser({
      onComment: (comment) => this.comments.push(comment),
      onEvent: ({ id = '', data }) => {
        this.ids.push(id);
        this.prices.push((JSON.parse(data) as { price: number }).price);
      },
    });
    response.setEncoding('utf8').on('data', (text: string) => parser.feed(text));
    response.on('error', () => undefined);
    this.ended = new Promise((resolve) => response.on('close', () => resolve(response.complete ? 'ended' : 'cut')));
  }

  static open(url: string, lastEventId?: string): Promise<StreamClient> {
    return new Promise((resolve, reject) => {
      const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const request = get(`${url}/api/v1/quick-markets/btc/price-stream`, { agent: false, headers }, (response) => {
        if (response.statusCode === 200) resolve(new StreamClient(request, response));
        else reject(new Error(`refused with ${response.statusCode}`));
      });
      request.on('error', reject);
    });
  }

  /** Reads nothing more, though the connection stays open. */
  stopReading(): void {
    this.#response.pause();
  }

  close(): void {
    this.#request.destroy();
  }
}
