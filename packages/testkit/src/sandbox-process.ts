// Starts the whole sandbox as `npm start` does, in its own processes, and stops or kills all of them.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, isErrorCode } from '@presage/runtime/node';
import { makeDataDir } from './data-dir.ts';
import { inheritedEnvironment } from './inherited-environment.ts';
import { waitFor } from './patience.ts';
import { readJson } from './read-json.ts';
import { RUNNER } from './runner.ts';

export interface SandboxOptions {
  /** By default a copy of a sandbox that was started once; see `isNew`. */
  readonly dataDir?: string;
  /** Parent of the data folder, for example on another disk. */
  readonly parentDir?: string;
  /** Starts from an empty data folder: deploys the contracts, creates the database and makes the first markets. */
  readonly isNew?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Limit of open files and connections for each of its processes (`ulimit -n`). */
  readonly openFiles?: number;
  /** Command line of an installed sandbox, instead of the repository's. */
  readonly command?: readonly string[];
}

/** For tests about quick markets or prices. */
export const QUICK_MARKETS = { PRESAGE_QUICK_ASSETS: 'BTC,ETH' } as const;

/**
 * Quick markets cost a fifth of a start and half of an idle sandbox's work: a market a minute and a price a second for
 * each asset.
 */
export function withoutQuickMarkets(options: SandboxOptions): SandboxOptions {
  return { ...options, env: { PRESAGE_QUICK_ASSETS: 'off', ...options.env } };
}

export interface SandboxProcess {
  readonly url: string;
  readonly rpcUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  /** Its output so far, and the end of the service's log. */
  transcript(): Promise<string>;
  /** Sends SIGTERM; rejects if it does not exit with 0. */
  stop(): Promise<void>;
  /** Process ids of the service's lanes; empty if there are none. */
  lanes(): readonly number[];
  /** Sends a signal to all processes of one part at once: SIGKILL, or SIGSTOP and then SIGCONT. */
  signal(part: SandboxPart, signal: NodeJS.Signals): void;
  /** Sends SIGKILL to the supervisor and all its descendants at once. */
  killGroup(): Promise<void>;
  /** Stops it if it still runs, and removes its data. */
  discard(): Promise<void>;
}

/** The service starts its database; the supervisor starts the other parts. */
export type SandboxPart = 'service' | 'database' | 'chain';

const PROGRAMS: Readonly<Record<SandboxPart, RegExp>> = {
  service: /apps\/server\/src\/main\.ts/,
  database: /\bpostgres -D /,
  chain: /packages\/devchain\/src\/main\.ts/,
};

/** Started by path: packages import no app, and it has to be another process anyway. */
const SUPERVISOR = fileURLToPath(new URL('../../../apps/sandbox/src/main.ts', import.meta.url));

export async function openSandbox(options: SandboxOptions = {}): Promise<SandboxProcess> {
  const dataDir = options.dataDir ?? (await makeDataDir(options.isNew ?? false, options.parentDir));
  const port = await findFreePort();
  const own = { PRESAGE_PORT: String(port), PRESAGE_DATA_DIR: dataDir, ...options.env };
  const run = new SupervisorRun(spawnSupervisor(own, options));
  const url = `http://127.0.0.1:${port}`;
  try {
    await run.waitUntilReady(url);
  } catch (error) {
    await run.killTree();
    // The port was free when it was found, and was taken by another process meanwhile.
    if (run.said.includes(`Port ${port} is taken`)) return openSandbox({ ...options, dataDir });
    throw new Error(`${String(error)}\n${await transcribe(run, dataDir)}`, { cause: error });
  }
  return {
    url,
    dataDir,
    pid: run.pid,
    rpcUrl: await readRpcUrl(url),
    transcript: () => transcribe(run, dataDir),
    stop: () => run.stop(),
    lanes: () => run.lanes(),
    signal: (part, signal) => run.signal(part, signal),
    killGroup: () => run.killTree(),
    discard: async () => {
      const trouble = run.endedUnasked ? await transcribe(run, dataDir) : undefined;
      if (run.isRunning) await run.stop();
      await rm(dataDir, { recursive: true, force: true });
      if (trouble !== undefined) throw new Error(`the sandbox had ended by itself:\n${trouble}`);
    },
  };
}

function spawnSupervisor(own: Readonly<Record<string, string>>, options: SandboxOptions): ChildProcess {
  const { openFiles, command = [process.execPath, RUNNER, SUPERVISOR] } = options;
  const env = { ...inheritedEnvironment(), ...own };
  const limited =
    openFiles === undefined ? command : ['sh', '-c', `ulimit -n ${openFiles}; exec "$@"`, 'sh', ...command];
  return spawn(limited[0]!, limited.slice(1), {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

class SupervisorRun {
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  #said = '';
  #isAsked = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', resolve));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#said += chunk.toString('utf8');
      });
    }
    // Nothing else stops it if the test run itself is ended.
    const endWithUs = () => this.#killAll();
    process.once('exit', endWithUs);
    void this.#exited.then(() => process.off('exit', endWithUs));
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get said(): string {
    return this.#said;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get endedUnasked(): boolean {
    return !this.isRunning && !this.#isAsked;
  }

  async waitUntilReady(url: string): Promise<void> {
    const isReady = async () => {
      if (!this.isRunning) throw new Error(`the sandbox ended with ${this.#child.exitCode} before it was ready`);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;
    };
    await waitFor('the sandbox is ready', isReady);
  }

  async stop(): Promise<void> {
    this.#isAsked = true;
    this.#child.kill('SIGTERM');
    const code = await this.#exited;
    if (code !== 0) throw new Error(`the sandbox ended with ${code}\n${this.#said}`);
  }

  /** Looks the processes up each time, because they are restarted. */
  signal(part: SandboxPart, signal: NodeJS.Signals): void {
    const running = descendantsOf(this.pid).filter(({ command }) => PROGRAMS[part].test(command));
    // A child of a service that runs the same program is a lane of it.
    const leaders = running.filter(({ parentPid }) => running.every(({ pid }) => pid !== parentPid));
    if (leaders.length === 0) throw new Error(`the ${part} does not run`);
    // A killed postmaster takes its children with it; a suspended one leaves them running.
    const own = part === 'database' && signal !== 'SIGKILL' ? leaders.flatMap(({ pid }) => descendantsOf(pid)) : [];
    for (const { pid } of [...leaders, ...own]) signalIfThere(pid, signal);
  }

  lanes(): number[] {
    const running = descendantsOf(this.pid).filter(({ command }) => PROGRAMS.service.test(command));
    return running.filter(({ parentPid }) => running.some(({ pid }) => pid === parentPid)).map(({ pid }) => pid);
  }

  async killTree(): Promise<void> {
    const pids = this.#killAll();
    const haveExited = () => !listProcesses().some(({ pid, isZombie }) => pids.includes(pid) && !isZombie);
    await waitFor('the killed processes have exited', haveExited, { pollMs: 5 });
    await this.#exited;
  }

  /** Finds our descendants right before killing them, because process ids are reused. */
  #killAll(): number[] {
    if (!this.isRunning) return [];
    this.#isAsked = true;
    const stopped = new Set<number>();
    // Suspends them first: on a busy machine a child could notice the end of its parent and shut down cleanly before it
    // is killed. Repeats until no new one is found: a child started meanwhile would outlive the others and write to
    // their folder.
    let found = [this.pid];
    while (found.length > 0) {
      for (const pid of found) {
        signalIfThere(pid, 'SIGSTOP');
        stopped.add(pid);
      }
      found = descendantsOf(this.pid).flatMap(({ pid }) => (stopped.has(pid) ? [] : [pid]));
    }
    for (const pid of stopped) signalIfThere(pid, 'SIGKILL');
    return [...stopped];
  }
}

interface ProcessRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly isZombie: boolean;
  readonly command: string;
}

function listProcesses(): ProcessRow[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => {
    const [pid, parentPid, state = '', ...command] = line.trim().split(/\s+/);
    const isZombie = state.startsWith('Z');
    return { pid: Number(pid), parentPid: Number(parentPid), isZombie, command: command.join(' ') };
  });
}

function descendantsOf(pid: number): ProcessRow[] {
  const rows = listProcesses();
  const childrenOf = (parent: number): ProcessRow[] =>
    rows.filter(({ parentPid }) => parentPid === parent).flatMap((row) => [row, ...childrenOf(row.pid)]);
  return childrenOf(pid);
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!isErrorCode(error, 'ESRCH')) throw error;
  }
}

async function readRpcUrl(url: string): Promise<string> {
  const { chains } = await readJson<{ chains: { rpcUrl: string }[] }>(`${url}/api/v1/config`);
  return chains[0]!.rpcUrl;
}

async function transcribe(run: SupervisorRun, dataDir: string): Promise<string> {
  const log = await readFile(join(dataDir, 'service.log'), 'utf8').catch(() => '');
  return [run.said, ...log.split('\n').slice(-20)].join('\n');
}
