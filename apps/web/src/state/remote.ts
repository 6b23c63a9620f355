// Something read from the service: loading, there, or failed with a way to try again; read anew on a beat and after a recovery.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Failure, toFailure } from './failure.ts';
import { usePage } from './page-context.ts';
import { usePart } from './store.ts';

export interface Remote<T> {
  readonly state: 'loading' | 'ready' | 'error';
  /** Kept through later failures: old figures are better than none. */
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  reload(): void;
}

export interface RemoteOptions {
  /** Read again this often. */
  readonly everyMs?: number;
  /** Read again when it moves, with the former value shown meanwhile. */
  readonly version?: number;
}

interface Held<T> {
  readonly key: string;
  /** Which reading this is the outcome of: a slow answer never covers a newer one. */
  readonly attempt: number;
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
}

/** `load` is called anew when `key` changes, so the key must name everything that `load` depends on; empty means: not now. */
export function useRemote<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, version = 0 }: RemoteOptions = {},
): Remote<T> {
  const epoch = usePart(usePage().connection.state, (state) => state.epoch);
  const [turn, setTurn] = useState(0);
  const [held, setHeld] = useState<Held<T>>({ key, attempt: 0, value: undefined, failure: undefined });
  const newest = useRef(load);
  useEffect(() => {
    newest.current = load;
  });
  const attempt = epoch + turn + version;
  useEffect(() => {
    if (key === '') return;
    const reader = new RepeatedReading({
      key,
      attempt,
      everyMs,
      onHeld: setHeld,
      load: (signal: AbortSignal) => newest.current(signal),
    });
    return () => reader.stop();
  }, [key, attempt, everyMs]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  const [value, failure] = held.key === key ? [held.value, held.failure] : [undefined, undefined];
  const state = value !== undefined ? 'ready' : failure !== undefined ? 'error' : 'loading';
  return { state, value, failure, reload };
}

interface ReadingOptions<T> extends Pick<Held<T>, 'key' | 'attempt'> {
  readonly everyMs: number | undefined;
  readonly load: (signal: AbortSignal) => Promise<T>;
  readonly onHeld: (change: (before: Held<T>) => Held<T>) => void;
}

class RepeatedReading<T> {
  readonly #options: ReadingOptions<T>;
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: ReadingOptions<T>) {
    this.#options = options;
    void this.#read();
    if (options.everyMs !== undefined) this.#timer = setInterval(() => void this.#read(), options.everyMs);
  }

  stop(): void {
    this.#controller.abort();
    clearInterval(this.#timer);
  }

  async #read(): Promise<void> {
    const { key, attempt, load, onHeld } = this.#options;
    const { signal } = this.#controller;
    try {
      const value = await load(signal);
      if (!signal.aborted) onHeld(() => ({ key, attempt, value, failure: undefined }));
    } catch (error) {
      if (signal.aborted) return;
      const failure = toFailure(error);
      onHeld((before) => ({ key, attempt, value: before.key === key ? before.value : undefined, failure }));
    }
  }
}
