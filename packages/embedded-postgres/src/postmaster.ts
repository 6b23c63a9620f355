// One running PostgreSQL server: started, awaited, stopped, and never left behind when the service dies.
import { type ChildProcess, spawn } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { poll } from '@presage/runtime';
import { type Account, BARE_ENVIRONMENT } from './account.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { listServerArguments } from './server-settings.ts';

export interface PostmasterOptions {
  readonly program: string;
  readonly cluster: string;
  readonly port: number;
  /** Connections beyond those of one service. */
  readonly moreConnections: number;
  readonly logFile: string;
  readonly account: Account | undefined;
  /** Called when the server process was started; until it is ready it needs nothing of this process. */
  readonly onLaunched?: (() => void) | undefined;
}

/**
 * The shell becomes the server. Before that it leaves a watcher, which waits on a pipe that only the service holds. A
 * word through the pipe dismisses the watcher; if the pipe ends without one, however the service died, the watcher
 * stops the server.
 */
const WATCHED_START = `
  ( ( read -r word <&3 || kill -QUIT $$ ) >/dev/null 2>&1 & )
  exec 3<&-
  exec "$@"`;

/** Recovery after a crash reads at most max_wal_size; this is many times the time that takes. */
const READY_TIMEOUT_MS = 60_000;

/** Fast: disconnects the clients and writes a checkpoint. Immediate: leaves recovery to the next start. */
const STOP_STEPS = [
  { signal: 'SIGINT', timeoutMs: 10_000 },
  { signal: 'SIGQUIT', timeoutMs: 7_000 },
  { signal: 'SIGKILL', timeoutMs: 5_000 },
] as const;

export class Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #options: PostmasterOptions;
  readonly #logStart: number;
  #hasEnded = false;

  private constructor(child: ChildProcess, options: PostmasterOptions, logStart: number) {
    this.pid = child.pid ?? 0;
    this.port = options.port;
    this.#child = child;
    this.#options = options;
    this.#logStart = logStart;
    this.ended = new Promise((resolve) => {
      child.once('exit', resolve);
      child.once('error', resolve);
    }).then(() => this.#dismissWatcher());
  }

  /** Throws a PostmasterFailure if the server ended instead of becoming ready. */
  static async start(options: PostmasterOptions): Promise<Postmaster> {
    const log = await open(options.logFile, 'a', 0o600);
    try {
      const { size: logStart } = await log.stat();
      const postmaster = new Postmaster(spawnWatched(options, log), options, logStart);
      options.onLaunched?.();
      await postmaster.#waitUntilReady();
      return postmaster;
    } finally {
      await log.close();
    }
  }

  async stop(): Promise<void> {
    for (const { signal, timeoutMs } of STOP_STEPS) {
      if (this.#hasEnded) return;
      this.#child.kill(signal);
      await this.#waitForEnd(timeoutMs);
    }
    if (!this.#hasEnded) throw new Error(`PostgreSQL (process ${this.pid}) does not end.`);
  }

  async #waitUntilReady(): Promise<void> {
    const isReady = async () => {
      if (await this.#isReady()) return true;
      if (this.#hasEnded) throw await PostmasterFailure.fromLog(this.#options.logFile, this.#logStart);
      return false;
    };
    if (await poll(isReady, { timeoutMs: READY_TIMEOUT_MS, pollMs: 10 })) return;
    await this.stop();
    throw new Error(`PostgreSQL was not ready within ${READY_TIMEOUT_MS / 1000} s; see ${this.#options.logFile}.`);
  }

  async #isReady(): Promise<boolean> {
    const file = await readPostmasterFile(this.#options.cluster);
    return file?.pid === this.pid && file.status === 'ready';
  }

  async #waitForEnd(timeoutMs: number): Promise<void> {
    const timer = new AbortController();
    const timeout = sleep(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.ended, timeout]);
    timer.abort();
  }

  #dismissWatcher(): void {
    this.#hasEnded = true;
    lifeline(this.#child)?.end('dismissed\n');
  }
}

function spawnWatched(options: PostmasterOptions, log: FileHandle): ChildProcess {
  const { program, cluster, port, moreConnections, account } = options;
  const settings = listServerArguments(cluster, port, moreConnections);
  const child = spawn('/bin/sh', ['-c', WATCHED_START, 'sh', program, ...settings], {
    ...account,
    cwd: '/',
    env: BARE_ENVIRONMENT,
    // A session of its own: Ctrl-C reaches only the service, which closes its database last.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  // The watcher may have exited first.
  lifeline(child)?.on('error', () => undefined);
  return child;
}

function lifeline(child: ChildProcess): Writable | undefined {
  const pipe = child.stdio[3];
  return pipe instanceof Writable ? pipe : undefined;
}

export type FailureKind = 'port-taken' | 'still-in-use' | 'surroundings' | 'cluster';

/** The first match counts. The server's messages are English, since it runs with LC_ALL=C. */
const SIGNS: readonly (readonly [RegExp, FailureKind])[] = [
  [/could not bind|could not create any TCP\/IP sockets/, 'port-taken'],
  [/pre-existing shared memory block|lock file ".*" already exists/, 'still-in-use'],
  // Rebuilding the view would not fix these and would only discard it.
  [
    /No space left|Cannot allocate memory|could not map anonymous|Permission denied|Too many open files/,
    'surroundings',
  ],
];

const TAIL_BYTES = 8_192;

/** Why a server did not start, read from its log. */
export class PostmasterFailure extends Error {
  override readonly name = 'PostmasterFailure';
  readonly kind: FailureKind;

  constructor(tail: string) {
    super(`PostgreSQL did not start: ${summarize(tail)}`);
    this.kind = SIGNS.find(([sign]) => sign.test(tail))?.[1] ?? 'cluster';
  }

  static async fromLog(logFile: string, start: number): Promise<PostmasterFailure> {
    const log = await open(logFile, 'r');
    try {
      return new PostmasterFailure(await readTail(log, start));
    } finally {
      await log.close();
    }
  }
}

async function readTail(log: FileHandle, start: number): Promise<string> {
  const { size } = await log.stat();
  const from = Math.max(start, size - TAIL_BYTES);
  const { buffer, bytesRead } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
  return buffer.toString('utf8', 0, bytesRead);
}

/** The complaint itself, without the surrounding lines of normal operation. */
function summarize(tail: string): string {
  const lines = tail.split('\n').filter((line) => line.trim() !== '');
  const complaints = lines.filter((line) => /FATAL|PANIC|HINT|error while loading/.test(line));
  return (complaints.length > 0 ? complaints : lines).slice(-4).join(' / ') || 'it wrote nothing into its log';
}
