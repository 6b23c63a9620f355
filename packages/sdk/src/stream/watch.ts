// Keeps one subscription alive: connects, detects silence, reconnects with backoff, until it is aborted.
import { parseJson, stringifyJson } from '@presage/protocol/browser';
import { Backoff, sleep } from '@presage/runtime';
import { PresageApiError } from '../errors.ts';
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
  /** The service's http or https URL. */
  readonly url: string;
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

/** One connection, until either side closes it. */
async function runConnection(options: KeepAliveOptions, onAlive: () => void): Promise<void> {
  const { url, subscription, signal, onMessage } = options;
  const socket = await openSocket(`${url.replace(/^http/, 'ws')}/api/v1/stream`);
  await new Promise<void>((resolve, reject) => {
    const send = (request: object) => socket.send(stringifyJson(request));
    const watchdog = new Watchdog(SILENCE_MS, () => socket.close());
    const end = (error?: unknown) => {
      watchdog.stop();
      signal.removeEventListener('abort', onAbort);
      socket.close(NORMAL);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = () => end();
    if (signal.aborted) return end();
    signal.addEventListener('abort', onAbort, { once: true });
    socket.addEventListener('open', () => send(subscription.request()));
    // A close event always follows.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', () => end());
    socket.addEventListener('message', ({ data }) => {
      watchdog.feed();
      try {
        // The service's own messages.
        const message = parseJson(String(data)) as StreamMessage;
        if (message.type === 'error') throw PresageApiError.ofCode(message.data);
        // The connection has lasted some seconds, so the next failure starts a new backoff.
        if (message.type === 'heartbeat') onAlive();
        onMessage?.(message.ts);
        subscription.accept(message, send);
      } catch (error) {
        end(error);
      }
    });
  });
}

/** Any other failure may be over with the next connection. */
function throwIfFinal(error: unknown): void {
  if (error instanceof PresageApiError && !error.retryable) throw error;
}

/** Barks when it has not been fed for some time. */
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

/** An iterator that starts with its first read and stops when its reader does. */
export function iterate<E>(
  queue: EventQueue<E>,
  run: (signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): AsyncIterableIterator<E, undefined> {
  const controller = new AbortController();
  const stop = () => controller.abort(signal?.reason);
  let started = false;
  const start = () => {
    started = true;
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    controller.signal.addEventListener('abort', () => queue.close(), { once: true });
    if (controller.signal.aborted) queue.close();
    run(controller.signal)
      .then(
        () => queue.end(),
        (error: unknown) => queue.end({ error }),
      )
      .finally(() => signal?.removeEventListener('abort', stop));
  };
  return {
    next: () => {
      if (!started) start();
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

/** What both have in common. */
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
