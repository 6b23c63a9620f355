// Local stand-ins for the places prices come from: real HTTP and WebSocket servers that replay documented messages.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

const BTC_ID = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';
export const ETH_ID = 'ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace';

export interface HermesFacts {
  readonly id?: string;
  readonly price?: string;
  readonly publishTime: number;
  readonly prevPublishTime?: number;
}

/** As the reference of Hermes v2 shows an update. */
export function hermesMessage({
  id = BTC_ID,
  price = '6140993501000',
  publishTime,
  prevPublishTime,
}: HermesFacts): string {
  const figures = { conf: '3287868567', expo: -8, publish_time: publishTime };
  return JSON.stringify({
    binary: { encoding: 'hex', data: ['504e41550100000003b801000000040d00bf'] },
    parsed: [
      {
        id,
        price: { price, ...figures },
        ema_price: { price: '6094272700000', ...figures },
        metadata: {
          slot: 163_391_434,
          proof_available_time: publishTime + 1,
          prev_publish_time: prevPublishTime ?? publishTime - 1,
        },
      },
    ],
  });
}

/** As the reference of Coinbase Exchange shows a ticker. */
export function coinbaseTicker(price: string, time: Date, product = 'BTC-USD'): string {
  return JSON.stringify({
    type: 'ticker',
    sequence: 37_475_248_783,
    product_id: product,
    price,
    open_24h: '1310.79',
    volume_24h: '245532.79269678',
    low_24h: '1280.52',
    high_24h: '1313.8',
    volume_30d: '9788783.60117027',
    best_bid: '1285.04',
    best_bid_size: '0.46688654',
    best_ask: '1285.27',
    best_ask_size: '1.56637040',
    side: 'buy',
    time: time.toISOString().replace('Z', '769Z'),
    trade_id: 370_843_401,
    last_size: '11.4396987',
  });
}

/** As the reference of Binance shows a trade in a combined stream. */
export function binanceTrade(price: string, time: Date, symbol = 'BTCUSDT'): string {
  const data = {
    e: 'trade',
    E: time.getTime() + 1,
    s: symbol,
    t: 12_345,
    p: price,
    q: '100',
    T: time.getTime(),
    m: true,
    M: true,
  };
  return JSON.stringify({ stream: `${symbol.toLowerCase()}@trade`, data });
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Hermes: what it answers to `latest`, to a time and to the stream is up to the test. */
export class LocalHermes {
  readonly requests: { readonly url: string; readonly authorization: string | undefined }[] = [];
  readonly streams = new Set<ServerResponse>();
  /** In place of everything, when set. */
  fault: Answer | undefined;
  latest = '';
  readonly history = new Map<number, string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async open(): Promise<LocalHermes> {
    const hermes = new LocalHermes();
    await new Promise<void>((resolve) => hermes.#server.listen(0, '127.0.0.1', resolve));
    return hermes;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  say(text: string): void {
    for (const stream of this.streams) stream.write(`data:${text}\n\n`);
  }

  cut(): void {
    for (const stream of this.streams) stream.destroy();
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', this.url);
    this.requests.push({ url: decodeURIComponent(request.url ?? ''), authorization: request.headers.authorization });
    if (this.fault) {
      this.fault(request, response);
      return;
    }
    const last = url.pathname.split('/').at(-1) ?? '';
    if (last === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n');
      this.streams.add(response);
      response.on('close', () => this.streams.delete(response));
      return;
    }
    const text = last === 'latest' ? this.latest : this.history.get(Number(last));
    if (text === undefined) response.writeHead(404).end('Update data not found');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  }
}

/** An exchange's WebSocket: greets as the real one does, then says what the test says. */
export class LocalExchange {
  readonly received: string[] = [];
  readonly paths: string[] = [];
  /** Refuses connections with this status. */
  refusal: { readonly status: number; readonly retryAfter?: string } | undefined;
  /** Sent to each who connects. */
  subscribeMessage: (() => string) | undefined;
  readonly #server = createServer();
  readonly #sockets = new WebSocketServer({ noServer: true });

  static async open(): Promise<LocalExchange> {
    const exchange = new LocalExchange();
    exchange.#server.on('upgrade', (request, socket, head) => {
      exchange.paths.push(request.url ?? '');
      const { refusal } = exchange;
      if (refusal) {
        const retryAfter = refusal.retryAfter ? `Retry-After: ${refusal.retryAfter}\r\n` : '';
        socket.end(`HTTP/1.1 ${refusal.status} No\r\n${retryAfter}Connection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      exchange.#sockets.handleUpgrade(request, socket, head, (client) => exchange.#accept(client));
    });
    await new Promise<void>((resolve) => exchange.#server.listen(0, '127.0.0.1', resolve));
    return exchange;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get connections(): number {
    return this.#sockets.clients.size;
  }

  say(text: string): void {
    for (const client of this.#sockets.clients) client.send(text);
  }

  cut(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #accept(client: WebSocket): void {
    client.on('message', (data) => this.received.push(String(data)));
    if (this.subscribeMessage) client.send(this.subscribeMessage());
  }
}
