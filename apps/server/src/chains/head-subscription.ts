// Receives new blocks over the WebSocket of the first node that has one; without one, polling continues.
import { isObject } from '@presage/protocol';
import { Backoff } from '@presage/runtime';
import { type RawData, WebSocket } from 'ws';

export interface HeadSubscriptionOptions {
  /** HTTP addresses of the nodes; a node with WebSocket serves it at the same address. After a loss the next address is tried. */
  readonly urls: readonly string[];
  readonly onHead: () => void;
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number };
  /** Interval of pings. A node that leaves one unanswered is dropped. */
  readonly pingMs?: number;
}

/** Nodes without WebSocket are retried: the address may lead to another node later. */
const BACKOFF = { firstMs: 1_000, longestMs: 300_000 };
const HANDSHAKE_MS = 5_000;
/** A node that vanished closes no connection, and polling stays slow as long as the subscription seems live. */
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
    // The schema of the chains file requires at least one address.
    const url = urls[this.#losses % urls.length]!;
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { handshakeTimeout: HANDSHAKE_MS });
    this.#socket = socket;
    socket.on('open', () => {
      socket.send(SUBSCRIBE);
      this.#keepAsking(socket);
    });
    socket.on('message', (data) => this.#onMessage(socket, data));
    // 'close' always follows.
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
    // Wakes the users, which poll from now on.
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
