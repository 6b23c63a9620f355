// Keeps one subscription alive: connects, detects silence, reconnects with backoff, until aborted.
import { parseJson, stringifyJson } from '@presage/protocol/browser';
import { Backoff, sleep } from '@presage/runtime';
import { PresageApiError } from '../errors.ts';
import type { Http } from '../http.ts';
import type { EventQueue } from './event-queue.ts';
import type { StreamMessage } from './messages.ts';

export interface Subscription {
  /** The request to send once connected; built again after each reconnection. */
  request(): object;
  /** `send` sends another request on the same connection. */
  accept(message: StreamMessage, send: (request: object) => void): void;
}

/** Callbacks about a stream's connection, for showing how fresh its data is. */
export interface ConnectionCallbacks {
  /** A message arrived, at least a heartbeat every 5 s; Unix milliseconds of the service's clock. */
  readonly onMessage?: ((serviceMs: number) => void) | undefined;
  /** The connection was lost or could not be opened; the next attempt is automatic. */
  readonly onLost?: (() => void) | undefined;
}

export interface KeepAliveOptions extends ConnectionCallbacks {
  /** The service has confirmed the subscription; called after each reconnection too. */
  readonly onReady: () => void;
  /** Connection to the service; the journal positions of messages are sent with its next requests. */
  readonly http: Pick<Http, 'url'> & { readonly position: Pick<Http['position'], 'learn'> };
  readonly subscription: Subscription;
  readonly signal: AbortSignal;
}

/** The service sends something every 5 s; three times that without a message is a dead connection. */
const SILENCE_MS = 15_000;
const BACKOFF = { firstMs: 250, longestMs: 10_000 };
const NORMAL = 1_000;

/** Resolves when aborted; rejects with PresageApiError when the service refuses the subscription. */
export async function keepSubscribed(options: KeepAliveOptions): Promise<void> {
  const backoff = new Backoff(BACKOFF);
  while (!options.signal.aborted) {
    await runConnection(options, () => backoff.reset()).catch(throwIfFinal);
    if (!options.signal.aborted) options.onLost?.();
    // The reader knows why it aborted.
    await sleep(backoff.nextMs(), options.signal).catch(() => undefined);
  }
}

/** Runs one connection until either side closes it. */
async function runConnection(options: KeepAliveOptions, onAlive: () => void): Promise<void> {
  const { http, subscription, signal, onMessage, onReady } = options;
  const socket = await openSocket(`${http.url.replace(/^http/, 'ws')}/api/v1/stream`);
  await new Promise<void>((resolve, reject) => {
    const send = (request: object) => socket.send(stringifyJson(request));
    let isOver = false;
    // The other side may no longer exist to confirm the close.
    const watchdog = new Watchdog(SILENCE_MS, () => end());
    const end = (error?: unknown) => {
      isOver = true;
      watchdog.stop();
      signal.removeEventListener('abort', onAbort);
      socket.close(NORMAL);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = () => end();
    // A close event always follows. Registered before anything closes the socket, because Node throws an unhandled
    // error.
    socket.addEventListener('error', () => undefined);
    if (signal.aborted) return end();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.addEventListener('open', () => send(subscription.request()));
    socket.addEventListener('close', () => end());
    socket.addEventListener('message', ({ data }) => {
      if (isOver) return;
      watchdog.feed();
      try {
        // The stream carries the service's messages only.
        const message = parseJson(String(data)) as StreamMessage;
        if (message.type === 'error') throw PresageApiError.ofCode(message.data);
        // The connection has lasted some seconds, so the next failure starts a new backoff.
        if (message.type === 'heartbeat') onAlive();
        http.position.learn(message.position);
        onMessage?.(message.ts);
        subscription.accept(message, send);
        if (message.type === 'subscribe') onReady();
      } catch (error) {
        end(error);
      }
    });
  });
}

/** Throws unless another connection could succeed. */
function throwIfFinal(error: unknown): void {
  if (error instanceof PresageApiError && !error.retryable) throw error;
}

/** Calls back if it has not been fed for some time. */
export class Watchdog {
  readonly #silenceMs: number;
  readonly #bark: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(silenceMs: number, bark: () => void) {
    this.#silenceMs = silenceMs;
    this.#bark = bark;
    this.feed();
  }

  feed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#bark, this.#silenceMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Live events. They begin with the first read or with `ready`, and end when their reader stops. */
export interface Watch<E> extends AsyncIterableIterator<E, undefined> {
  /**
   * Connects, and resolves once the service has confirmed the subscription: later events are delivered, or reported as
   * a gap. Rejects if the subscription is refused or stopped before.
   */
  readonly ready: Promise<void>;
}

/** Makes an iterator; `run` calls `onReady` once no event can be missed unnoticed. */
export function iterate<E>(
  queue: EventQueue<E>,
  run: (signal: AbortSignal, onReady: () => void) => Promise<void>,
  signal?: AbortSignal,
): Watch<E> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  let onReady = () => {};
  let onEnd: (error: unknown) => void;
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve;
    onEnd = reject;
  });
  // A caller that only reads events gets the error with the next event.
  ready.catch(() => undefined);
  let started = false;
  const start = () => {
    if (started) return;
    started = true;
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    controller.signal.addEventListener('abort', () => queue.close(), { once: true });
    if (controller.signal.aborted) queue.close();
    const end = (reason: unknown, outcome: { readonly error?: unknown }) => {
      signal?.removeEventListener('abort', stop);
      queue.end(outcome);
      onEnd(reason);
    };
    run(controller.signal, onReady).then(
      () => end(controller.signal.reason, {}),
      (error: unknown) => end(error, { error }),
    );
  };
  return {
    get ready() {
      start();
      return ready;
    },
    next: () => {
      start();
      return queue.next();
    },
    return: async () => {
      controller.abort();
      queue.close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The common part of the browser's and Node's WebSocket. */
interface Socket {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void;
}

/** Declared here: the types of browsers and of Node differ. */
declare const WebSocket: (new (url: string) => Socket) | undefined;

async function openSocket(url: string): Promise<Socket> {
  if (typeof WebSocket !== 'undefined') return new WebSocket(url);
  const { WebSocket: NodeSocket } = await import('ws');
  return new NodeSocket(url);
}
