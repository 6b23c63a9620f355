// Receives new blocks over the WebSocket of the first node that has one; without one, polling continues.
import { isObject } from '@presage/protocol';
import { Backoff } from '@presage/runtime';
import { type RawData, WebSocket } from 'ws';

export interface HeadSubscriptionOptions {
  /** The nodes' HTTP addresses: nodes serve both on one, or not at all. When one is lost the next is asked. */
  readonly urls: readonly string[];
  readonly onHead: () => void;
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number };
  /** How often a node has to show that it is there. */
  readonly pingMs?: number;
}

/** A node without WebSocket is asked again now and then: it may be another one behind the same address. */
const BACKOFF = { firstMs: 1_000, longestMs: 300_000 };
const HANDSHAKE_MS = 5_000;
/** A node that vanished without a word closes no connection, and nobody polls quickly as long as it seems to be there. */
const PING_MS = 10_000;
const SUBSCRIBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] });

export class HeadSubscription {
  readonly #options: HeadSubscriptionOptions;
  readonly #backoff: Backoff;
  #socket: WebSocket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #pinging: NodeJS.Timeout | undefined;
  #losses = 0;
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
    const { urls } = this.#options;
    // The schema of the chains file asks for one address at least.
    const url = urls[this.#losses % urls.length]!;
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { handshakeTimeout: HANDSHAKE_MS });
    this.#socket = socket;
    socket.on('open', () => {
      socket.send(SUBSCRIBE);
      this.#keepAsking(socket);
    });
    socket.on('message', (data) => this.#onMessage(socket, data));
    // It always closes after an error.
    socket.on('error', () => undefined);
    socket.on('close', () => this.#onClose());
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearInterval(this.#pinging);
    this.#socket?.terminate();
  }

  #keepAsking(socket: WebSocket): void {
    let isAnswered = true;
    socket.on('pong', () => {
      isAnswered = true;
    });
    this.#pinging = setInterval(() => {
      if (!isAnswered) return socket.terminate();
      isAnswered = false;
      socket.ping();
    }, this.#options.pingMs ?? PING_MS).unref();
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
    clearInterval(this.#pinging);
    if (this.#isClosed) return;
    this.#losses++;
    this.#retry = setTimeout(() => this.start(), this.#backoff.nextMs()).unref();
    // Its users poll from now on.
    if (wasLive) this.#options.onHead();
  }
}

function parse(text: string): { readonly id?: unknown; readonly method?: unknown; readonly result?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
