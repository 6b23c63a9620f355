// A connection that fell silent: it is replaced at once, and what it still delivers is not mixed with the next one.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepSubscribed } from '../src/stream/watch.ts';

/** A socket whose other side is gone: closing it is never confirmed. */
class DeadSocket {
  static readonly opened: DeadSocket[] = [];
  readonly #listeners = new Map<string, (event: object) => void>();

  constructor() {
    DeadSocket.opened.push(this);
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#listeners.set(type, listener);
  }

  receive(message: object): void {
    this.#listeners.get('message')?.({ data: JSON.stringify(message) });
  }

  send(): void {}

  close(): void {}
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', DeadSocket);
  DeadSocket.opened.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a silent connection', () => {
  it('is replaced without waiting for its end to be confirmed, and is not listened to any more', async () => {
    const controller = new AbortController();
    const accepted: unknown[] = [];
    const subscription = { request: () => ({}), accept: ({ seq }: { seq?: number }) => void accepted.push(seq) };
    const onLost = vi.fn();
    const { signal } = controller;
    const learned: unknown[] = [];
    const http = {
      url: 'http://x',
      position: { learn: (text?: string | null) => void learned.push(text), header: () => ({}) },
    };
    const watching = keepSubscribed({ http, subscription, signal, onReady: () => undefined, onLost });
    await vi.advanceTimersByTimeAsync(0);
    const [first] = DeadSocket.opened;
    first?.receive({ type: 'heartbeat', seq: 1 });
    await vi.advanceTimersByTimeAsync(16_000);
    expect(onLost).toHaveBeenCalledTimes(1);
    expect(DeadSocket.opened).toHaveLength(2);
    first?.receive({ type: 'heartbeat', seq: 2 });
    DeadSocket.opened[1]?.receive({ type: 'heartbeat', seq: 3, position: 'm0=7' });
    expect(accepted).toEqual([1, 3]);
    expect(learned).toEqual([undefined, 'm0=7']);
    controller.abort();
    await watching;
    expect(vi.getTimerCount()).toBe(0);
  });
});
