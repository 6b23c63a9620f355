// Another node beside a sandbox, on the same chain and the same journal: the service alone, in a process of its own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@presage/runtime/node';
import { inheritedEnvironment, RUNNER, type SandboxProcess } from '@presage/testkit';

const SERVICE = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

export class SecondNode {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #said = '';

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    this.#exited = once(child, 'exit');
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#said += chunk.toString('utf8');
      });
    }
  }

  /** Does not wait for it to be ready: it may have to stand by. */
  static async start(sandbox: SandboxProcess, settings: Readonly<Record<string, string>>): Promise<SecondNode> {
    const port = await findFreePort();
    const dataDir = join(sandbox.dataDir, 'second-node');
    await mkdir(dataDir, { recursive: true });
    const own = {
      PRESAGE_PORT: String(port),
      PRESAGE_DATA_DIR: dataDir,
      PRESAGE_CHAINS: join(sandbox.dataDir, 'chains.json'),
      PRESAGE_PARENT_PID: String(process.pid),
    };
    const env = { ...inheritedEnvironment(), ...own, ...settings };
    const child = spawn(process.execPath, [RUNNER, SERVICE], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    return new SecondNode(`http://127.0.0.1:${port}`, child);
  }

  get said(): string {
    return this.#said;
  }

  /** As an orchestrator does; resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    await this.#exited;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

/** The service under a sandbox's supervisor. */
export function servicePid({ pid }: SandboxProcess): number | undefined {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const own = rows
    .map((row) => row.trim().split(/\s+/))
    .find(([, parent, ...args]) => {
      return Number(parent) === pid && args.some((arg) => arg.endsWith('apps/server/src/main.ts'));
    });
  return own && Number(own[0]);
}

export async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;
}

/** For a failure's message. */
export function readLog({ dataDir }: SandboxProcess): Promise<string> {
  return readFile(join(dataDir, 'service.log'), 'utf8');
}
