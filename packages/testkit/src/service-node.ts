// One node of a cluster: the service alone in its own process, which tests start, pause and kill.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@presage/runtime/node';
import { inheritedEnvironment } from './inherited-environment.ts';
import { RUNNER } from './runner.ts';

/** Started by path: packages import no app, and it has to be another process anyway. */
const SERVICE = fileURLToPath(new URL('../../../apps/server/src/main.ts', import.meta.url));

export interface ServiceNodeOptions {
  /** Parent of the node's own folder. */
  readonly folder: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

export class ServiceNode {
  readonly name: string;
  readonly url: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #child: ChildProcess;
  #said = '';

  private constructor(name: string, url: string, env: Readonly<Record<string, string | undefined>>) {
    this.name = name;
    this.url = url;
    this.#env = env;
    this.#child = this.#spawn();
  }

  static async start({ folder, name, settings }: ServiceNodeOptions): Promise<ServiceNode> {
    const port = await findFreePort();
    const dataDir = join(folder, name);
    await mkdir(dataDir, { recursive: true });
    const own = {
      PRESAGE_PORT: String(port),
      PRESAGE_DATA_DIR: dataDir,
      PRESAGE_PARENT_PID: String(process.pid),
    };
    const env = { ...inheritedEnvironment(), ...own, ...settings };
    return new ServiceNode(name, `http://127.0.0.1:${port}`, env);
  }

  get said(): string {
    return this.#said;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async isReady(): Promise<boolean> {
    if (!this.isRunning) throw new Error(`${this.name} has ended:\n${this.#said.slice(-4_000)}`);
    return (await fetch(`${this.url}/ready`).catch(() => undefined))?.status === 200;
  }

  /** Restarts it at the same address, as a supervisor does. */
  restart(): void {
    if (!this.isRunning) this.#child = this.#spawn();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGCONT');
    this.#child.kill(signal);
    await exited;
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [RUNNER, SERVICE], { env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.#said += chunk.toString('utf8');
      });
    }
    return child;
  }
}
