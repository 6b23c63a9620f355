// Receives new blocks over the node's WebSocket where it has one; without one, polling continues.
import { Backoff } from '@presage/runtime';
import { type RawData, WebSocket } from 'ws';

export interface HeadSubscriptionOptions {
  /** The node's HTTP address: nodes serve both on one, or not at all. */
  readonly url: string;
  readonly onHead: () => void;
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number };
}

/** A node without WebSocket is asked again now and then: it may be another one behind the same address. */
const BACKOFF = { firstMs: 1_000, longestMs: 300_000 };
const HANDSHAKE_MS = 5_000;
const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });

export class HeadSubscription {
  readonly #options: HeadSubscriptionOptions;
  readonly #backoff: Backoff;
  #socket: WebSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isLive = false;
  #isClosed = false;

  constructor(options: HeadSubscriptionOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.backoff ?? BACKOFF);
  }

  /** Whether new blocks are received at the moment. */
  get isLive(): boolean {
    return this.#isLive;
  }

  start(): void {
    if (this.#isClosed) return;
    const socket = new WebSocket(this.#options.url.replace(/^http/, 'ws'), { handshakeTimeout: HANDSHAKE_MS });
    this.#socket = socket;
    socket.on('open', () => socket.send(SUBSCRIBE));
    socket.on('message', (data) => this.#onMessage(socket, data));
    // It always closes after an error.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onClose());
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.terminate();
  }

  #onMessage(socket: WebSocket, data: RawData): void {
    const answer = parse(String(data));
    if (answer.method === 'eth_subscription') this.#options.onHead();
    else if (answer.id === 1 && typeof answer.result === 'string') this.#onSubscribed();
    else socket.close();
  }

  /** Blocks may have come while disconnected. */
  #onSubscribed(): void {
    this.#isLive = true;
    this.#backoff.reset();
    this.#options.onHead();
  }

  #onClose(): void {
    const wasLive = this.#isLive;
    this.#isLive = false;
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => this.start(), this.#backoff.nextMs()).unref();
    // Its users poll from now on.
    if (wasLive) this.#options.onHead();
  }
}

function parse(text: string): { readonly id?: unknown; readonly method?: unknown; readonly result?: unknown } {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
