// One lane: a process that answers connections for the service and is restarted whenever it ends.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Backoff } from '@presage/runtime';
import type { Environment } from '../config/settings-reader.ts';
import type { Log } from '../log/log.ts';

export interface LaneOptions {
  readonly index: number;
  readonly environment: Environment;
  /** Program of the process; the service by default, tests use others. */
  readonly program?: readonly [script: string, ...words: string[]];
  /** Time after which a process that takes none of its handed connections is killed. */
  readonly patienceMs?: number;
  readonly log: Log;
  /** Called when the lane becomes ready, and when it is no longer. */
  readonly onChange: () => void;
}

type LaneEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null } | { readonly error: string };

/** Script that bundles and runs a TypeScript program; in the packed server it runs the existing bundle. */
const RUN = fileURLToPath(new URL('../../../../scripts/run.mjs', import.meta.url));
const SERVICE = fileURLToPath(new URL('../main.ts', import.meta.url));
/** Pauses between restarts: a lane that fails at each start must not take the processor from the service. */
const PAUSE = { firstMs: 100, longestMs: 2_000 };
/** Connections handed and not yet taken, above which a lane gets no more for now. */
const MOST_HANDED = 128;
/** Default patience; longer than a busy machine keeps a process waiting. */
const PATIENCE_MS = 10_000;
/** Lifetime after which an end does not count as a failed start. */
const SOUND_MS = 10_000;

export class Lane {
  readonly #options: LaneOptions;
  readonly #pause = new Backoff(PAUSE);
  /** Connections handed and not yet taken, oldest first. Kept open until then: when a process dies, Node forgets those in transit, and clients would hang. */
  readonly #handed = new Set<Socket>();
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #startMs = 0;
  #isReady = false;
  #isClosing = false;
  #timer: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;
  #restarts = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Number of restarts. */
  get restarts(): number {
    return this.#restarts;
  }

  start(): void {
    this.#startMs = performance.now();
    this.#ended = new Promise((resolve) => {
      const onEnd = (how: LaneEnd) => {
        this.#onEnd(how);
        resolve();
      };
      try {
        this.#child = this.#fork(onEnd);
      } catch (error) {
        // The process could not be created, for example for lack of memory.
        onEnd({ error: String(error) });
      }
    });
  }

  #fork(onEnd: (how: LaneEnd) => void): ChildProcess {
    const { environment: env, index, log, program = [RUN, SERVICE] } = this.#options;
    const [script, ...words] = program;
    // The lane logs to the service's stderr; nobody reads its stdout, which is for a supervisor.
    const child = fork(script, words, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('error', (error) => {
      // A process that could not be started emits no 'exit'.
      if (child.pid === undefined) onEnd({ error: String(error) });
      else log.warn({ lane: index, error: String(error) }, 'message to a lane failed');
    });
    // A message may arrive after the exit of its process was noted.
    child.on('message', (message) => {
      if (this.#child !== child) return;
      if (message === 'taken') this.#letGo();
      else this.#setReady(message === 'ready');
    });
    child.once('exit', (code, signal) => onEnd({ code, signal }));
    return child;
  }

  /** Whether the lane can take another connection. */
  get hasRoom(): boolean {
    return this.#isReady && this.#child?.connected === true && this.#handed.size < MOST_HANDED;
  }

  /** Hands a connection to the lane. It breaks if the lane ends before taking it. */
  hand(socket: Socket): void {
    this.#handed.add(socket);
    if (this.#handed.size === 1) this.#waitForTaken();
    this.#child?.send('connection', socket, { keepOpen: true }, (error) => {
      if (error !== null && this.#handed.delete(socket)) socket.destroy();
    });
  }

  /** Closes our handle of the oldest connection, which the process has taken; its own handle stays open. */
  #letGo(): void {
    const [oldest] = this.#handed;
    if (oldest === undefined) return;
    this.#handed.delete(oldest);
    oldest.destroy();
    this.#waitForTaken();
  }

  /** Starts the timer for the oldest connection: a process that hangs would keep its clients waiting for ever. */
  #waitForTaken(): void {
    clearTimeout(this.#patience);
    const { patienceMs = PATIENCE_MS } = this.#options;
    const [oldest] = this.#handed;
    if (oldest !== undefined) this.#patience = setTimeout(() => this.#judge(oldest), patienceMs).unref();
  }

  /** Kills a process that hangs. Reads its messages first, since this process may itself have been blocked. */
  #judge(oldest: Socket): void {
    setImmediate(() => {
      if (!this.#handed.has(oldest)) return;
      this.#options.log.warn({ lane: this.#options.index }, 'lane takes no connections; killing it');
      this.#child?.kill('SIGKILL');
    });
  }

  /** Ends the process, which drains first; kills it after the timeout. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    // The message arrives after all handed connections. A process that is not ready needs no such order and gets a signal.
    if (this.#isReady) this.#child?.send('end', () => undefined);
    else this.#child?.kill('SIGTERM');
    this.#setReady(false);
    const late = setTimeout(() => this.#child?.kill('SIGKILL'), timeoutMs);
    await this.#ended;
    clearTimeout(late);
  }

  #onEnd(how: LaneEnd): void {
    const { index, log } = this.#options;
    this.#child = undefined;
    for (const socket of this.#handed) socket.destroy();
    this.#handed.clear();
    clearTimeout(this.#patience);
    this.#setReady(false);
    if (this.#isClosing) return;
    if (performance.now() - this.#startMs > SOUND_MS) this.#pause.reset();
    const pauseMs = this.#pause.nextMs();
    log.warn({ lane: index, ...how, pauseMs }, 'lane ended; starting it again');
    this.#timer = setTimeout(() => {
      this.#restarts++;
      this.start();
    }, pauseMs);
  }

  #setReady(isReady: boolean): void {
    if (this.#isReady === isReady) return;
    this.#isReady = isReady;
    this.#options.onChange();
  }
}
