// A value read from the service: loading, ready, or failed with a retry; read again on an interval and after a reconnection.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Failure, toFailure } from './failure.ts';
import { usePage } from './page-context.ts';
import { usePart } from './store.ts';

export interface Remote<T> {
  readonly state: 'loading' | 'ready' | 'error';
  /** The last value, kept through later failures: old figures are better than none. */
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  reload(): void;
}

interface RemoteOptions {
  readonly everyMs?: number;
  /** A change triggers a new read; the previous value stays visible meanwhile. */
  readonly version?: number;
}

/** `load` is called again when `key` changes, so the key must contain everything that `load` depends on; an empty key loads nothing. */
export function useRemote<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, version = 0 }: RemoteOptions = {},
): Remote<T> {
  const epoch = usePart(usePage().connection.state, (state) => state.epoch);
  const [turn, setTurn] = useState(0);
  const [held, setHeld] = useState<Pick<Remote<T>, 'value' | 'failure'> & { readonly key: string }>();
  const newest = useRef(load);
  useEffect(() => {
    newest.current = load;
  });
  const attempt = epoch + turn + version;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt reads again.
  useEffect(() => {
    if (key === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    // Skips an interval while the previous read has no answer, so that a slow service is not overloaded.
    let isReading = false;
    const read = async () => {
      if (isReading) return;
      isReading = true;
      try {
        const value = await newest.current(signal);
        if (!signal.aborted) setHeld({ key, value, failure: undefined });
      } catch (error) {
        const failure = toFailure(error);
        if (!signal.aborted)
          setHeld((before) => ({ key, value: before?.key === key ? before.value : undefined, failure }));
      } finally {
        isReading = false;
      }
    };
    void read();
    const timer = everyMs === undefined ? undefined : setInterval(() => void read(), everyMs);
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [key, attempt, everyMs]);
  const reload = useCallback(() => setTurn((count) => count + 1), []);
  const { value, failure } = held?.key === key ? held : { value: undefined, failure: undefined };
  const state = value !== undefined ? 'ready' : failure !== undefined ? 'error' : 'loading';
  return { state, value, failure, reload };
}
