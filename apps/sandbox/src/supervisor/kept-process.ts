// A child that is kept running: awaited at its first start, started again whenever it ends unasked.
import { backoffMs, messageOf, sleep } from '@presage/runtime';
import { type Child, type ChildEnd, type ChildMessage, describeEnd } from './child.ts';
import { StartFault } from './start-fault.ts';

/** A shorter pause is over before anybody has read of it. */
const SAID_FROM_MS = 1_000;

interface Reporter {
  readonly onMessage: (message: ChildMessage) => void;
  readonly onLog: (line: string) => void;
}

/** What a child process reports to the supervisor. */
export interface KeptProcessHooks {
  readonly onProgress: (text: string) => void;
  readonly onLog: (line: string) => void;
  /** A new run began, or the last one ended. */
  readonly onRun: (pid: number, isRunning: boolean) => void;
  /** For people: it ended, it is back. */
  readonly onNotice: (text: string) => void;
}

export interface KeptProcessOptions<Ready extends ChildMessage> extends Omit<KeptProcessHooks, 'onProgress'> {
  readonly name: string;
  /** Starts one run. `previous` is what the last one said when it was ready: it names the port to keep. */
  readonly start: (previous: Ready | undefined, reporter: Reporter) => Child;
  readonly onProgress: (message: ChildMessage) => void;
}

export class KeptProcess<Ready extends ChildMessage> {
  readonly #options: KeptProcessOptions<Ready>;
  readonly #policy = new RestartPolicy();
  readonly #stopping = new AbortController();
  #child: Child | undefined;
  #isRunning = false;
  #ready: Ready | undefined;

  constructor(options: KeptProcessOptions<Ready>) {
    this.#options = options;
  }

  /** Resolves when the first run is ready. One that ends before that says why, and is not tried again. */
  async open(): Promise<Ready> {
    const { child, ready } = await this.#run();
    if (ready === undefined) throw toStartFault(this.#options.name, child, await child.ended);
    void this.#keep(child);
    return ready;
  }

  /** How it ended; undefined when it was not running. */
  async stop(timeoutMs: number): Promise<ChildEnd | undefined> {
    this.#stopping.abort();
    return this.#isRunning ? this.#child?.stop(timeoutMs) : undefined;
  }

  kill(): void {
    this.#stopping.abort();
    this.#child?.kill();
  }

  async #keep(first: Child): Promise<void> {
    const { name, onNotice } = this.#options;
    for (let child = first; ; ) {
      const end = await child.ended;
      if (this.#stopping.signal.aborted) return;
      const delayMs = this.#policy.nextDelayMs(performance.now());
      const when = delayMs < SAID_FROM_MS ? '' : ` in ${Math.round(delayMs / 1_000)} s`;
      onNotice(
        `The ${name} ${describeEnd(end)}; it is started again${when}.${remedyFor(child)}${quote(child.lastOutput)}`,
      );
      await sleep(delayMs, this.#stopping.signal).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
      const startMs = performance.now();
      const run = await this.#run();
      child = run.child;
      if (run.ready) onNotice(`The ${name} is back after ${((performance.now() - startMs) / 1000).toFixed(1)} s.`);
    }
  }

  /** `ready` is undefined when the run ended before it was. */
  async #run(): Promise<{ child: Child; ready: Ready | undefined }> {
    const { start, onProgress, onLog } = this.#options;
    let report: (ready: Ready) => void = () => undefined;
    const isReady = new Promise<Ready>((resolve) => {
      report = resolve;
    });
    const child = start(this.#ready, {
      // The program that `start` starts says so.
      onMessage: (message) => (message.type === 'ready' ? report(message as Ready) : onProgress(message)),
      onLog,
    });
    this.#child = child;
    this.#isRunning = true;
    this.#tellRun(child);
    const ready = await Promise.race([isReady, child.ended.then(() => undefined)]);
    this.#ready = ready ?? this.#ready;
    return { child, ready };
  }

  /** A run that cannot be noted, as on a full disk, is none: nobody who comes later would wait for its end. */
  #tellRun(child: Child): void {
    const { onRun } = this.#options;
    const { pid } = child;
    void child.ended.then(() => {
      this.#isRunning = false;
      if (pid !== undefined) onRun(pid, false);
    });
    try {
      if (pid !== undefined) onRun(pid, true);
    } catch (error) {
      child.reject(messageOf(error));
    }
  }
}

/** What a child says when it refuses to start is meant for the person at the terminal, so it is passed on as it is. */
function toStartFault(name: string, child: Child, end: ChildEnd): StartFault {
  const text = child.lastOutput || child.lastLog || `The ${name} ${describeEnd(end)} before it was ready.`;
  return new StartFault(text, end.code || 1);
}

function remedyFor({ hadTooLittleMemory }: Child): string {
  if (!hadTooLittleMemory) return '';
  return ' It had too little memory: allow more, for example NODE_OPTIONS=--max-old-space-size=2048 (in MiB).';
}

function quote(text: string): string {
  return text === '' ? '' : ` Its last output:\n${text}`;
}

/** A child that ran for longer than this has recovered. */
const RECOVERED_MS = 60_000;
const DELAY = { firstMs: 100, longestMs: 30_000 };

/** When a child that ended is started again: soon at first, later each time, and for ever, since most causes pass by themselves. */
export class RestartPolicy {
  #ends = 0;
  /** When the last start was due. */
  #startMs = Number.NEGATIVE_INFINITY;

  /** The pause before the next start of a child that ended now. */
  nextDelayMs(nowMs: number): number {
    if (nowMs - this.#startMs > RECOVERED_MS) this.#ends = 0;
    const delayMs = backoffMs(DELAY, this.#ends++);
    this.#startMs = nowMs + delayMs;
    return delayMs;
  }
}
