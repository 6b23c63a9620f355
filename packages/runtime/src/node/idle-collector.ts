// Gives back what a burst of work left in memory, once the process has nothing to do: by itself V8 keeps a large heap until it is full again.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { compactHeap } from './collect-garbage.ts';

const LOOK_MS = 1_000;
/** Nobody waits while less of a core is used; a collection takes some tens of milliseconds. */
const IDLE_SHARE = 0.1;
const IDLE_LOOKS = 3;
/** V8 makes room for new objects smaller only in a collection before which few were made for some seconds. */
const LONG_IDLE_LOOKS = 10;
/** What work left: less is not worth a collection. */
const WORTH_BYTES = 16 * 1024 * 1024;
/** The same where there was no work: looks at a clock, prices and blocks leave a quarter of a megabyte a second, most of which V8 collects cheaply. */
const WORTH_BYTES_WITHOUT_WORK = 4 * WORTH_BYTES;

export interface IdleCollectorOptions {
  readonly collect?: () => void;
  readonly usedBytes?: () => number;
  /** The share of a core that the process has used since the last call. */
  readonly busyShare?: () => number;
}

export class IdleCollector {
  readonly #collect: () => void;
  readonly #usedBytes: () => number;
  readonly #busyShare: () => number;
  #idleLooks = 0;
  #hasWorked = true;
  /** The last collection came soon after work. */
  #keepsRoom = false;
  /** What was left when it collected last. */
  #leftBytes = 0;

  constructor(options: IdleCollectorOptions = {}) {
    const { collect = compactHeap, usedBytes = usedHeapBytes, busyShare = watchBusyShare() } = options;
    this.#collect = collect;
    this.#usedBytes = usedBytes;
    this.#busyShare = busyShare;
  }

  /** For as long as the process lives, which it does not prolong. */
  start(): void {
    setInterval(() => this.look(), LOOK_MS).unref();
  }

  look(): void {
    const isIdle = this.#busyShare() < IDLE_SHARE;
    this.#idleLooks = isIdle ? this.#idleLooks + 1 : 0;
    this.#hasWorked ||= !isIdle;
    if (this.#idleLooks < IDLE_LOOKS || !this.#isWorth()) return;
    this.#collect();
    // What it has cost is no work, or one collection would follow the other for ever.
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

/** Measures processor time: on a machine that others use, a process with little to do still has an event loop that waits most of the time for its turn. */
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
