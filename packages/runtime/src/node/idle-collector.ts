// Frees the memory that a burst of work left, once the process is idle: by itself V8 keeps a large heap until it is full again.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { compactHeap } from './collect-garbage.ts';

const LOOK_MS = 1_000;
/** Below this share of a core nobody waits; a collection takes some tens of milliseconds. */
const IDLE_SHARE = 0.1;
const IDLE_LOOKS = 3;
/** V8 shrinks the space for new objects only in a collection before which few were allocated for some seconds. */
const LONG_IDLE_LOOKS = 10;
/** Garbage that is worth a collection after work. */
const WORTH_BYTES = 16 * 1024 * 1024;
/**
 * Garbage that is worth a collection without work: reads of a clock, prices and blocks leave a quarter of a megabyte a
 * second, most of which V8 collects cheaply.
 */
const WORTH_BYTES_WITHOUT_WORK = 4 * WORTH_BYTES;

export interface IdleCollectorOptions {
  readonly collect?: () => void;
  readonly usedBytes?: () => number;
  /** Share of a core that the process has used since the last call. */
  readonly busyShare?: () => number;
}

export class IdleCollector {
  readonly #collect: () => void;
  readonly #usedBytes: () => number;
  readonly #busyShare: () => number;
  #idleLooks = 0;
  #hasWorked = true;
  /** True if the last collection came soon after work. */
  #keepsRoom = false;
  /** Bytes left after the last collection. */
  #leftBytes = 0;

  constructor(options: IdleCollectorOptions = {}) {
    const { collect = compactHeap, usedBytes = usedHeapBytes, busyShare = watchBusyShare() } = options;
    this.#collect = collect;
    this.#usedBytes = usedBytes;
    this.#busyShare = busyShare;
  }

  /** Runs for as long as the process lives, without keeping it alive. */
  start(): void {
    setInterval(() => this.look(), LOOK_MS).unref();
  }

  look(): void {
    const isIdle = this.#busyShare() < IDLE_SHARE;
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    this.#hasWorked ||= !isIdle;
    if (this.#idleLooks < IDLE_LOOKS || !this.#isWorth()) return;
    this.#collect();
    // Resets the share, so that the collection's own cost does not count as work and cause the next one.
    this.#busyShare();
    this.#leftBytes = this.#usedBytes();
    this.#idleLooks = 0;
    this.#keepsRoom = this.#hasWorked;
    this.#hasWorked = false;
  }

  #isWorth(): boolean {
    if (this.#keepsRoom && this.#idleLooks >= LONG_IDLE_LOOKS) return true;
    const worth = this.#hasWorked ? WORTH_BYTES : WORTH_BYTES_WITHOUT_WORK;
    return this.#usedBytes() - this.#leftBytes >= worth;
  }
}

function usedHeapBytes(): number {
  const { used_heap_size: heap, external_memory: external } = getHeapStatistics();
  return heap + external;
}

/** Measures processor time: on a shared machine the event loop of a nearly idle process also waits most of the time for its turn. */
function watchBusyShare(): () => number {
  let [cpu, ms] = [process.cpuUsage(), performance.now()];
  return () => {
    const [nowCpu, nowMs] = [process.cpuUsage(), performance.now()];
    const busyMs = (nowCpu.user + nowCpu.system - cpu.user - cpu.system) / 1_000;
    const share = busyMs / (nowMs - ms);
    [cpu, ms] = [nowCpu, nowMs];
    return share;
  };
}
