// One lane: a process that answers connections for the service, started again whenever it ends.
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Backoff } from '@presage/runtime';
import type { Environment } from '../config/settings-reader.ts';
import type { Log } from '../log/log.ts';

export interface LaneOptions {
  readonly index: number;
  readonly environment: Environment;
  /** What runs in its process: the service, unless a test has something else. */
  readonly program?: readonly [script: string, ...words: string[]];
  /** A process that takes none of the connections that are handed to it for so long is killed. */
  readonly patienceMs?: number;
  readonly log: Log;
  /** It became ready, or is no longer. */
  readonly onChange: () => void;
}

type LaneEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null } | { readonly error: string };

/** Runs a TypeScript program, bundled; in the packed server, the bundle that is there. */
const RUN = fileURLToPath(new URL('../../../../scripts/run.mjs', import.meta.url));
const SERVICE = fileURLToPath(new URL('../main.ts', import.meta.url));
/** A lane that ends at each start must not take the processor from the service. */
const PAUSE = { firstMs: 100, longestMs: 2_000 };
/** A lane that does not take connections as fast as they come gets no more for now. */
const MOST_HANDED = 128;
/** A busy machine keeps a process waiting for less. */
const PATIENCE_MS = 10_000;
/** One that lived so long did not end because of its start. */
const SOUND_MS = 10_000;

export class Lane {
  readonly #options: LaneOptions;
  readonly #pause = new Backoff(PAUSE);
  /** Connections on their way to the process, oldest first. Kept open here until it has taken them: Node forgets those that it was sending when a process dies, and their clients would wait for ever. */
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

  /** How often it was started again. */
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
        // The system has no memory for another process, say.
        onEnd({ error: String(error) });
      }
    });
  }

  #fork(onEnd: (how: LaneEnd) => void): ChildProcess {
    const { environment: env, index, log, program = [RUN, SERVICE] } = this.#options;
    const [script, ...words] = program;
    // Its log is the service's; what it would tell a supervisor nobody reads.
    const child = fork(script, words, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    child.on('error', (error) => {
      // A process that could not be started has no exit.
      if (child.pid === undefined) onEnd({ error: String(error) });
      else log.warn({ lane: index, error: String(error) }, 'message to a lane failed');
    });
    // What a process said may arrive after its exit was noted.
    child.on('message', (message) => {
      if (this.#child !== child) return;
      if (message === 'taken') this.#letGo();
      else this.#setReady(message === 'ready');
    });
    child.once('exit', (code, signal) => onEnd({ code, signal }));
    return child;
  }

  /** Whether connections can be handed to it. */
  get hasRoom(): boolean {
    return this.#isReady && this.#child?.connected === true && this.#handed.size < MOST_HANDED;
  }

  /** From now on the connection is the lane's; it breaks where the lane ends before it has taken it. */
  hand(socket: Socket): void {
    this.#handed.add(socket);
    if (this.#handed.size === 1) this.#waitForTaken();
    this.#child?.send('connection', socket, { keepOpen: true }, (error) => {
      if (error !== null && this.#handed.delete(socket)) socket.destroy();
    });
  }

  /** The process has its own end of the oldest by now; closing this one leaves that open. */
  #letGo(): void {
    const [oldest] = this.#handed;
    if (oldest === undefined) return;
    this.#handed.delete(oldest);
    oldest.destroy();
    this.#waitForTaken();
  }

  /** A process that hangs would keep the clients that it was given waiting for ever. */
  #waitForTaken(): void {
    clearTimeout(this.#patience);
    const { patienceMs = PATIENCE_MS } = this.#options;
    const [oldest] = this.#handed;
    if (oldest !== undefined) this.#patience = setTimeout(() => this.#judge(oldest), patienceMs).unref();
  }

  /** What the process has said meanwhile is read first: this one may itself have stood still. */
  #judge(oldest: Socket): void {
    setImmediate(() => {
      if (!this.#handed.has(oldest)) return;
      this.#options.log.warn({ lane: this.#options.index }, 'lane takes no connections; killing it');
      this.#child?.kill('SIGKILL');
    });
  }

  /** Its own drain comes first; one that does not end by itself is killed. */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    // Read behind the connections that were handed to it. One that takes none yet, or ends already, needs no such order.
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
