// One PostgreSQL server for a test, on loopback: started, stopped, killed with all its processes, promoted.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { waitFor } from './patience.ts';
import type { PostgresPrograms } from './postgres-programs.ts';

interface PostgresNodeOptions {
  readonly programs: PostgresPrograms;
  /** Folder of the cluster, made by `createCluster` or copied from one. */
  readonly dataDir: string;
  readonly port: number;
  /** Log file beside the cluster. */
  readonly logFile: string;
}

export const PASSWORD = 'of-a-test';

/** Keeps every answered commit on disk, as a journal requires; small, because several servers run on one machine. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=60',
  'shared_buffers=32MB',
  'fsync=on',
  'synchronous_commit=on',
  'wal_level=replica',
  'hot_standby=on',
  // Enough log for a standby that was away for a whole test to catch up.
  'wal_keep_size=512MB',
  'wal_receiver_status_interval=1s',
  'wal_retrieve_retry_interval=100ms',
  'jit=off',
  'autovacuum_max_workers=1',
];
/** Earlier versions refuse settings that they do not know, and before 16 a cluster is created for 100 connections. */
function settingsOf(major: number): readonly string[] {
  if (major >= 18) return ['io_method=sync', 'autovacuum_worker_slots=1'];
  return major >= 16 ? [] : ['max_connections=100'];
}

export class PostgresNode {
  readonly #options: PostgresNodeOptions;
  #child: ChildProcess | undefined;

  constructor(options: PostgresNodeOptions) {
    this.#options = options;
  }

  get port(): number {
    return this.#options.port;
  }

  get dataDir(): string {
    return this.#options.dataDir;
  }

  get url(): string {
    return `postgres://presage:${PASSWORD}@127.0.0.1:${this.port}/postgres`;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Process id of the postmaster. */
  get pid(): number | undefined {
    return this.isRunning ? this.#child?.pid : undefined;
  }

  /** Resolves when it answers queries; a standby does so while it replays. */
  async start(settings: readonly string[] = []): Promise<void> {
    const { programs, dataDir, port, logFile } = this.#options;
    const args = [`port=${port}`, ...SETTINGS, ...settingsOf(programs.major), ...settings].flatMap((setting) => [
      '-c',
      setting,
    ]);
    const child = spawn(programs.path('postgres'), ['-D', dataDir, ...args], {
      ...programs.options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk: Buffer) => appendFileSync(logFile, chunk));
    this.#child = child;
    // Nothing else would stop it if the test run ends early.
    const endWithUs = () => this.#killAll();
    process.on('exit', endWithUs);
    child.once('exit', () => process.off('exit', endWithUs));
    await waitFor(`PostgreSQL on port ${port} answers`, async () => {
      if (!this.isRunning) throw new Error(`PostgreSQL ended: ${await readFile(logFile, 'utf8')}`);
      return this.query('select 1').then(
        () => true,
        () => false,
      );
    });
  }

  /** Stops cleanly: all data is on disk. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child!, 'close');
    this.#child!.kill('SIGINT');
    await ended;
  }

  /** Kills all its processes at once, as a power loss does. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const ended = once(this.#child!, 'close');
    this.#killAll();
    await ended;
  }

  /**
   * Suspends the server until `resume`: it neither answers nor ends; connections stay open, and new ones are accepted
   * but never served.
   */
  pause(): void {
    this.#signalAll('SIGSTOP');
  }

  resume(): void {
    this.#signalAll('SIGCONT');
  }

  /** Resolves when it accepts writes. */
  async promote(): Promise<void> {
    const { programs, dataDir } = this.#options;
    await programs.run('pg_ctl', ['promote', '-D', dataDir, '--wait', '--silent']);
    await waitFor('the promoted server takes writes', async () => {
      const [row] = await this.query<{ waiting: boolean }>('select pg_is_in_recovery() as waiting');
      return row?.waiting === false;
    });
  }

  /** Runs the query on a connection of its own. */
  async query<Row>(statement: string): Promise<readonly Row[]> {
    return this.withConnection((ask) => ask<Row>(statement));
  }

  async withConnection<T>(work: (ask: <Row>(statement: string) => Promise<readonly Row[]>) => Promise<T>): Promise<T> {
    const sql = postgres(this.url, { max: 1, onnotice: () => undefined, connect_timeout: 5 });
    try {
      // The caller knows the rows of its statement.
      return await work((statement) => sql.unsafe(statement));
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  join(name: string): string {
    return join(this.dataDir, name);
  }

  /** Suspends the postmaster first: its children lead process groups of their own, and it would start new ones. */
  #killAll(): void {
    if (this.pid !== undefined) process.kill(this.pid, 'SIGSTOP');
    this.#signalAll('SIGKILL');
  }

  #signalAll(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid === undefined) return;
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    const children = rows.map((row) => row.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid);
    for (const [child] of children) signalIfThere(child!, signal);
    signalIfThere(pid, signal);
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself meanwhile.
  }
}
