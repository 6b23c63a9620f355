// Whether the data on the screen is live: every stream must have sent something within ten seconds, and the service must answer.
import type { ConnectionCallbacks, PublicClient } from '@presage/sdk';
import type { PageClock } from './service-clock.ts';
import { Store } from './store.ts';

export interface ConnectionState {
  readonly state: 'connecting' | 'live' | 'stale';
  readonly latencyMs: number | undefined;
  /** Number of reconnections; when it changes, data is read again. */
  readonly epoch: number;
}

const STALE_MS = 10_000;
const PULSE_MS = 4_000;
const LOOK_MS = 500;
/** The service itself, which is polled: lost once a poll fails, but never by silence, since a hidden tab polls only once a minute. */
const SERVICE = 'service';

export class Connection {
  readonly state = new Store<ConnectionState>({ state: 'connecting', latencyMs: undefined, epoch: 0 });
  readonly #clock: PageClock;
  /** Time of the last message of each source; 0 if its connection is lost. */
  readonly #lastMessageMs = new Map<string, number>();

  constructor(clock: PageClock) {
    this.#clock = clock;
  }

  start(reader: Pick<PublicClient, 'getTime'>): () => void {
    const pulse = setInterval(() => void this.#pulse(reader), PULSE_MS);
    const look = setInterval(() => this.#judge(), LOOK_MS);
    void this.#pulse(reader);
    return () => {
      clearInterval(pulse);
      clearInterval(look);
    };
  }

  /** Callbacks for a stream; call `release` when the stream is closed. */
  callbacksFor(source: string): Required<ConnectionCallbacks> & { release(): void } {
    return {
      onMessage: (serviceMs) => {
        // A message may carry an old time, as the book of a quiet market does, but never a future one, so it may only advance the clock.
        if (serviceMs > this.#clock.nowMs()) this.#clock.learn(serviceMs);
        this.#onMessage(source);
      },
      onLost: () => this.#onLost(source),
      release: () => {
        this.#lastMessageMs.delete(source);
        this.#judge();
      },
    };
  }

  async #pulse(reader: Pick<PublicClient, 'getTime'>): Promise<void> {
    const startMs = performance.now();
    try {
      const { nowMs } = await reader.getTime({ signal: AbortSignal.timeout(PULSE_MS) });
      this.#clock.learn(nowMs);
      this.#onMessage(SERVICE);
      const latencyMs = Math.round(performance.now() - startMs);
      this.state.update((state) => ({ ...state, latencyMs }));
    } catch {
      this.#onLost(SERVICE);
    }
  }

  #onMessage(source: string): void {
    this.#lastMessageMs.set(source, performance.now());
    this.#judge();
  }

  #onLost(source: string): void {
    this.#lastMessageMs.set(source, 0);
    this.#judge();
  }

  #judge(): void {
    const isStale = [...this.#lastMessageMs].some(([source, ms]) => ms === 0 || (source !== SERVICE && isOld(ms)));
    const { state, epoch } = this.state.get();
    const next = isStale ? 'stale' : this.#lastMessageMs.size === 0 ? 'connecting' : 'live';
    if (next === state) return;
    const isRecovery = state === 'stale' && next === 'live';
    this.state.update((before) => ({ ...before, state: next, epoch: isRecovery ? epoch + 1 : epoch }));
  }
}

function isOld(ms: number): boolean {
  return performance.now() - ms > STALE_MS;
}
