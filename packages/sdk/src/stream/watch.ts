// Keeps one subscription alive: connects, listens, notices silence, comes back with patience, until it is called off.
import { parseJson, stringifyJson } from '@presage/protocol/browser';
import { PresageApiError, type Refusal } from '../errors.ts';
import { Backoff, sleep } from '../waiting.ts';
import type { EventQueue } from './event-queue.ts';
import type { StreamMessage } from './messages.ts';
import { openSocket, type Socket } from './socket.ts';

export interface Subscription {
  /** What to say when a connection stands; asked for again after each reconnection. */
  request(): object;
  /** `send` sends another request on the same connection. */
  accept(message: StreamMessage, send: (request: object) => void): void;
}

/** Signs of life of a stream, for whoever shows how fresh its news are. */
export interface ConnectionCallbacks {
  /** Something came, a heartbeat every 5 s at least; Unix milliseconds of the service's clock. */
  readonly onMessage?: ((serviceMs: number) => void) | undefined;
  /** The connection is gone, or could not be made; the next attempt follows by itself. */
  readonly onLost?: (() => void) | undefined;
}

export interface KeepAliveOptions extends ConnectionCallbacks {
  /** Of the service: http or https. */
  readonly url: string;
  readonly subscription: Subscription;
  readonly signal: AbortSignal;
}

/** The service speaks every 5 s at least; three times that in silence is a dead connection. */
const SILENCE_MS = 15_000;
const BACKOFF = { firstMs: 250, longestMs: 10_000 };
const NORMAL = 1_000;

/** Resolves when called off; rejects with PresageApiError when the service refuses what was asked for. */
export async function keepSubscribed(options: KeepAliveOptions): Promise<void> {
  const backoff = new Backoff(BACKOFF);
  while (!options.signal.aborted) {
    await converse(options, () => backoff.reset()).catch(throwIfFinal);
    if (!options.signal.aborted) options.onLost?.();
    // The reason of the abort is the reader's own.
    await sleep(backoff.nextMs(), options.signal).catch(() => undefined);
  }
}

/** One connection, from its beginning to its end, whoever ends it. */
async function converse(options: KeepAliveOptions, onAlive: () => void): Promise<void> {
  const { url, subscription, signal, onMessage } = options;
  const socket = await openSocket(`${url.replace(/^http/, 'ws')}/api/v1/stream`);
  await new Promise<void>((resolve, reject) => {
    const send = (request: object) => socket.send(stringifyJson(request));
    const watchdog = new Watchdog(socket);
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
    // A close always follows.
    socket.addEventListener('error', () => undefined);
    socket.addEventListener('close', () => end());
    socket.addEventListener('message', ({ data }) => {
      watchdog.feed();
      try {
        const message = parseJson(String(data)) as StreamMessage;
        if (message.type === 'error') throw PresageApiError.ofCode(message.data as Refusal);
        // It has lasted some seconds: only then is the next trouble a new one.
        if (message.type === 'heartbeat') onAlive();
        onMessage?.(message.ts);
        subscription.accept(message, send);
      } catch (error) {
        end(error);
      }
    });
  });
}

/** Whatever else went wrong with a connection, the next one may do better. */
function throwIfFinal(error: unknown): void {
  if (error instanceof PresageApiError && !error.retryable) throw error;
}

class Watchdog {
  readonly #socket: Socket;
  #timer: ReturnType<typeof setTimeout>;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#timer = this.#start();
  }

  feed(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#socket.close(), SILENCE_MS);
  }
}

/** An iterator that begins to work with its first read, and stops when its reader does. */
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
