// What the supervisor's tests share: the real command in a folder of its own, what it prints, and which processes it has.
import { type ChildProcess, spawn } from 'node:child_process';
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { poll } from '@presage/runtime';
import { inheritedEnvironment, RUNNER, waitFor } from '@presage/testkit';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Beyond the time that any test has: it is the test's own timeout that speaks first. */
const SAID_TIMEOUT_MS = 600_000;
/** Longer than any orderly end, the supervisor's timeouts for its children included. */
const GONE_TIMEOUT_MS = 60_000;

export const ORDINARY_USER = 65_534;

/** Takes what is to be done in the end: after the test, or after several that share a run. */
export type OnEnd = (cleanup: () => Promise<void>) => void;

/** Open to its owner only, as mkdtemp makes it. */
export async function makeFolder(owner?: number, onEnd: OnEnd = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-start-'));
  if (owner !== undefined) await chown(folder, owner, owner);
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

export interface RunOptions {
  /** The working directory; the data goes into `data` inside. */
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly uid?: number;
  /** With a shell in between that dies of the signals it gets, as npm has it. */
  readonly isUnderNpm?: boolean;
  readonly onEnd?: OnEnd;
}

export class SandboxRun {
  readonly pid: number;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly dataDir: string;
  readonly #child: ChildProcess;
  output = '';

  constructor({ folder, environment, uid, isUnderNpm = false, onEnd = onTestFinished }: RunOptions) {
    const command = [process.execPath, RUNNER, MAIN];
    const [program, ...args] = isUnderNpm ? ['sh', '-c', '"$@"; exit "$?"', 'sh', ...command] : command;
    this.#child = spawn(program!, args, {
      cwd: folder,
      env: {
        ...inheritedEnvironment(/^npm_/),
        PRESAGE_PORT: '0',
        ...(isUnderNpm && { npm_lifecycle_event: 'start' }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid !== undefined && { uid, gid: uid }),
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
    this.pid = this.#child.pid!;
    this.dataDir = join(folder, 'data');
    this.ended = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve({ code, signal })));
    onEnd(() => this.#clear());
  }

  get url(): string {
    return /^ {2}API\s+(\S+)/m.exec(this.output)![1]!;
  }

  get rpcUrl(): string {
    return /Chain RPC\s+(\S+)/.exec(this.output)![1]!;
  }

  /** Resolves when everything is up. */
  async ready(): Promise<this> {
    await this.until(/Ctrl-C stops everything/);
    return this;
  }

  /** Rejects when it ends instead. */
  async until(pattern: RegExp): Promise<void> {
    let end: Awaited<typeof this.ended> | undefined;
    void this.ended.then((how) => {
      end = how;
    });
    await waitFor(
      `the sandbox says ${pattern}`,
      () => {
        if (pattern.test(this.output)) return true;
        if (end !== undefined) throw new Error(`ended with ${end.code ?? end.signal}:\n${this.output}`);
        return false;
      },
      { timeoutMs: SAID_TIMEOUT_MS },
    );
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** As the supervisor itself keeps them: role, pid, and what distinguishes this run of the process from others. */
  async processes(): Promise<string[]> {
    return readdir(join(this.dataDir, 'processes')).catch(() => []);
  }

  async childPid(role: 'chain' | 'service'): Promise<number> {
    return Number((await this.processes()).find((name) => name.startsWith(`${role}-`))!.split('-')[1]);
  }

  /** Itself, its children, the database server and its helpers: all processes that must have exited in the end. */
  async family(): Promise<readonly string[]> {
    const table = await readProcesses();
    const isOfUs = (pid: number): boolean => pid === this.pid || (table.has(pid) && isOfUs(table.get(pid)!.parentPid));
    return [...table].filter(([pid]) => isOfUs(pid)).map(([, { identity }]) => identity);
  }

  async #clear(): Promise<void> {
    const family = await this.family();
    this.#child.kill('SIGTERM');
    await this.ended;
    await untilExited(family);
  }
}

export async function untilExited(family: readonly string[]): Promise<void> {
  let left = family;
  const haveExited = await poll(
    async () => {
      const running = new Set([...(await readProcesses()).values()].map(({ identity }) => identity));
      left = family.filter((identity) => running.has(identity));
      return left.length === 0;
    },
    { timeoutMs: GONE_TIMEOUT_MS },
  );
  if (!haveExited) throw new Error(`still running: ${(await Promise.all(left.map(describe))).join('; ')}`);
}

async function describe(identity: string): Promise<string> {
  const command = await readFile(`/proc/${identity.split(' ')[0]}/cmdline`, 'utf8').catch(() => 'exited by now');
  return `${identity}: ${command.replaceAll('\0', ' ')}`;
}

/** Linux only, like the test that asks. A pid may be used again, so a process is known by its pid and its start. */
async function readProcesses(): Promise<Map<number, { parentPid: number; identity: string }>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')));
  return new Map(
    lines.flatMap((line) => {
      const [state, parentPid, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
      if (parentPid === undefined || state === 'Z') return [];
      const pid = Number(line.split(' ')[0]);
      return [[pid, { parentPid: Number(parentPid), identity: `${pid} since ${rest[17]}` }] as const];
    }),
  );
}

export async function readJson<T>(url: string, body?: object): Promise<T> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
