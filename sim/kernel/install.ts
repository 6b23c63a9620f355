// Replaces Node's time, randomness and network by virtual ones for the whole process.
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { TimerHandle, VirtualTime } from './virtual-time.ts';

export interface Installed {
  readonly time: VirtualTime;
  readonly random: () => number;
  readonly fetch: typeof globalThis.fetch;
  /** Connections between machines; absent in a world with one machine. */
  readonly net?: { readonly connect: unknown; readonly createServer: unknown } | undefined;
}

interface TimersPromises {
  setTimeout: unknown;
  setImmediate: unknown;
}

const require = createRequire(import.meta.url);
const timersPromises = require('node:timers/promises') as TimersPromises;
const net = require('node:net') as { connect: unknown; createServer: unknown };
const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  fetch: globalThis.fetch,
  dateNow: Date.now,
  performanceNow: performance.now,
  random: Math.random,
  promises: { ...timersPromises },
  net: { connect: net.connect, createServer: net.createServer },
  instantiate: WebAssembly.instantiate,
};

type Callback = (...args: unknown[]) => void;

/** Returns a function that restores everything. */
export function install({ time, random, fetch, net: sockets }: Installed): () => void {
  const setTimer = (run: Callback, delayMs = 0, ...args: unknown[]) =>
    time.after(Math.max(1, delayMs), () => run(...args));
  const repeat = (run: Callback, delayMs = 0, ...args: unknown[]) => {
    const timer = time.after(Math.max(1, delayMs), () => {
      timer.refresh();
      run(...args);
    });
    return timer;
  };
  const clear = (timer: TimerHandle | undefined) => {
    if (timer !== undefined && timer !== null) timer.event.isCancelled = true;
  };
  const soon = (run: Callback, ...args: unknown[]) => time.after(0, () => run(...args));
  Object.assign(globalThis, {
    setTimeout: setTimer,
    clearTimeout: clear,
    setInterval: repeat,
    clearInterval: clear,
    setImmediate: soon,
    clearImmediate: clear,
    fetch,
  });
  Date.now = () => time.wallMs;
  performance.now = () => time.nowMs;
  Math.random = random;
  timersPromises.setTimeout = (delayMs: number, value: unknown, options?: { signal?: AbortSignal }) =>
    sleepFor(time, delayMs, value, options?.signal);
  timersPromises.setImmediate = (value: unknown) => time.wait(0).then(() => value);
  Object.assign(net, sockets);
  syncBuiltinESMExports();
  WebAssembly.instantiate = ((...args: Parameters<typeof WebAssembly.instantiate>) =>
    time.native(real.instantiate(...args))) as typeof WebAssembly.instantiate;
  return restore;
}

function restore(): void {
  const { dateNow, performanceNow, random, promises, net: sockets, instantiate, ...globals } = real;
  WebAssembly.instantiate = instantiate;
  Object.assign(globalThis, globals);
  Date.now = dateNow;
  performance.now = performanceNow;
  Math.random = random;
  Object.assign(timersPromises, promises);
  Object.assign(net, sockets);
  syncBuiltinESMExports();
}

function sleepFor(time: VirtualTime, delayMs: number, value: unknown, signal?: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = time.after(Math.max(1, delayMs), () => resolve(value));
    const onAbort = () => {
      timer.event.isCancelled = true;
      reject(new DOMException('The operation was aborted', 'AbortError'));
    };
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
