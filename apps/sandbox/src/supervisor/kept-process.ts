// A child process that is kept running: awaited at its first start, restarted whenever it ends unexpectedly.
import { backoffMs, messageOf, sleep } from '@presage/runtime';
import { type Child, type ChildEnd, type ChildMessage, describeEnd } from './child.ts';
import { StartFault } from './start-fault.ts';

/** Shorter restart delays are not mentioned: they are over before the notice is read. */
const SAID_FROM_MS = 1_000;

interface Reporter {
  readonly onMessage: (message: ChildMessage) => void;
  readonly onLog: (line: string) => void;
}

/** Callbacks from a child process to the supervisor. */
export interface KeptProcessHooks {
  readonly onProgress: (text: string) => void;
  readonly onLog: (line: string) => void;
  /** Called when a run begins and when it ends. */
  readonly onRun: (pid: number, isRunning: boolean) => void;
  /** Called with text for the person at the terminal: the process ended, or is back. */
  readonly onNotice: (text: string) => void;
}

export interface KeptProcessOptions<Ready extends ChildMessage> extends Omit<KeptProcessHooks, 'onProgress'> {
  readonly name: string;
  /** Starts one run. `previous` is the ready message of the previous run, with the port to reuse. */
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

  /** Resolves when the first run is ready. If it ends before that, rejects with the reason and does not retry. */
  async open(): Promise<Ready> {
    const { child, ready } = await this.#run();
    if (ready === undefined) throw toStartFault(this.#options.name, child, await child.ended);
    void this.#keep(child);
    return ready;
  }

  /** Resolves with how the run ended; undefined if none was running. */
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

  /** `ready` is undefined if the run ended before it was ready. */
  async #run(): Promise<{ child: Child; ready: Ready | undefined }> {
    const { start, onProgress, onLog } = this.#options;
    let report: (ready: Ready) => void = () => undefined;
    const isReady = new Promise<Ready>((resolve) => {
      report = resolve;
    });
    const child = start(this.#ready, {
      // `Ready` is the message with which the started program reports itself ready.
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

  /** Kills a run that cannot be registered, as on a full disk: a later supervisor would not know to wait for its end. */
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

/** Passes the child's own output on unchanged: a refusal to start is written for the person at the terminal. */
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

/** A child that ran for longer than this has recovered, which resets the backoff. */
const RECOVERED_MS = 60_000;
const DELAY = { firstMs: 100, longestMs: 30_000 };

/** Delays of restarts: growing, but without an end, since most causes pass by themselves. */
export class RestartPolicy {
  #ends = 0;
  /** Time at which the last restart was due. */
  #startMs = Number.NEGATIVE_INFINITY;

  /** Delay before the next start of a child that has just ended. */
  nextDelayMs(nowMs: number): number {
    if (nowMs - this.#startMs > RECOVERED_MS) this.#ends = 0;
    const delayMs = backoffMs(DELAY, this.#ends++);
    this.#startMs = nowMs + delayMs;
    return delayMs;
  }
}
