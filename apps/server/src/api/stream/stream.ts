// Manages the connections of the stream: accepts them, keeps them alive, closes them in order.
import type { StreamConnection } from './outbox.ts';
import type { QuickTarget } from './request-reader.ts';
import { StreamHub, type StreamHubOptions } from './stream-hub.ts';
import { StreamSession } from './stream-session.ts';

export interface StreamOptions extends StreamHubOptions {
  /** Interval of heartbeats; clients are promised five seconds, tests use less. */
  readonly heartbeatMs?: number;
}

const HEARTBEAT_MS = 5_000;
const HEARTBEATS_PER_PING = 6;
const GOING_AWAY = 1_001;
const TRY_AGAIN_LATER = 1_013;
/** Time for closing handshakes, after which open connections are cut off. */
const FAREWELL_MS = 1_000;

export class Stream {
  readonly #hub: StreamHub;
  readonly #sessions = new Set<StreamSession>();
  readonly #timer: NodeJS.Timeout;
  #beats = 0;
  #isClosing = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: StreamOptions) {
    this.#hub = new StreamHub(options);
    this.#timer = setInterval(() => this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS);
    this.#timer.unref();
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /** Sends subscribers of an asset the current answer of GET /api/v1/quick-markets/{asset}. */
  publishQuickMarket(target: QuickTarget): void {
    this.#hub.publishQuickMarket(target);
  }

  /** Tells every connection that the clock was moved, for clients that measure with their own clock. */
  publishClock(): void {
    for (const session of this.#sessions) session.tellClock();
  }

  accept(connection: StreamConnection): void {
    const { socket } = connection;
    if (this.#isClosing) {
      socket.close(TRY_AGAIN_LATER, 'the service is going down');
      return;
    }
    const session = new StreamSession(connection, this.#hub);
    this.#sessions.add(session);
    socket.once('close', () => {
      this.#sessions.delete(session);
      if (this.#sessions.size === 0) this.#onEmpty?.();
    });
  }

  /** Closes every connection; its client reconnects. No acknowledged order is lost by it. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    this.#hub.close();
    for (const session of this.#sessions) {
      // Tells the client which steps it has completely, so that it resumes after them: a restarted service cannot repeat any.
      session.heartbeat();
      session.close(GOING_AWAY, 'the service is going down');
    }
    if (this.#sessions.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
      setTimeout(resolve, FAREWELL_MS);
    });
    for (const session of this.#sessions) session.terminate();
  }

  #beat(): void {
    this.#beats++;
    this.#hub.sweep();
    for (const session of this.#sessions) {
      session.heartbeat();
      if (this.#beats % HEARTBEATS_PER_PING === 0) session.ping();
    }
  }
}
