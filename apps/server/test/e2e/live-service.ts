// A live service as an operator runs it: its own process, a PostgreSQL server of its own, settings from the environment.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@presage/runtime';
import { findFreePort } from '@presage/runtime/node';
import { EmbeddedPostgres } from '../../src/store/embedded-postgres.ts';

type Environment = Readonly<Record<string, string>>;

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const RUN = at('scripts/run.mjs');
const SERVICE = at('apps/server/src/main.ts');
const PRESAGE = at('apps/cli/bin/presage.mjs');
const START_TIMEOUT_MS = 110_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Operator {
  readonly dir: string;
  readonly #env: Environment;
  readonly #database: EmbeddedPostgres;
  #service: { readonly child: ChildProcess; readonly url: string; readonly adminUrl: string } | undefined;

  private constructor(dir: string, database: EmbeddedPostgres, env: Environment) {
    this.dir = dir;
    this.#database = database;
    this.#env = env;
  }

  static async open(env: Environment): Promise<Operator> {
    const dir = await mkdtemp(join(tmpdir(), 'presage-live-'));
    // Passable for the account that PostgreSQL runs as.
    await chmod(dir, 0o711);
    const database = await EmbeddedPostgres.open({ dataDir: join(dir, 'server') });
    return new Operator(dir, database, env);
  }

  get url(): string {
    if (this.#service === undefined) throw new Error('the service was not started');
    return this.#service.url;
  }

  /** Where operators act. */
  get adminUrl(): string {
    return this.#service?.adminUrl ?? '';
  }

  /** `presage ...` as they would type it; `onOutput` may kill it. */
  presage(
    args: readonly string[],
    onStderr: (text: string, kill: () => void) => void = () => undefined,
  ): Promise<Ended> {
    const child = this.#spawn([PRESAGE, ...args], {
      PRESAGE_URL: this.#service?.url ?? '',
      PRESAGE_ADMIN_URL: this.adminUrl,
    });
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
      onStderr(stderr, () => child.kill('SIGKILL'));
    });
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  }

  async startService(env: Environment): Promise<void> {
    const [port, adminPort] = [await findFreePort(), await findFreePort()];
    const url = `http://127.0.0.1:${port}`;
    const own = {
      PRESAGE_PROFILE: 'live',
      PRESAGE_PORT: String(port),
      PRESAGE_ADMIN_PORT: String(adminPort),
      PRESAGE_DATA_DIR: join(this.dir, 'data'),
      PRESAGE_DATABASE_URL: this.#database.url,
      PRESAGE_LOG_LEVEL: 'warn',
    };
    const child = this.#spawn([RUN, SERVICE], { ...own, ...env });
    this.#service = { child, url, adminUrl: `http://127.0.0.1:${adminPort}` };
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${said}`);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;
    };
    await waitFor('the live service is ready', isReady, { timeoutMs: START_TIMEOUT_MS }).catch((error: Error) => {
      throw new Error(`${error.message}\n${said}`);
    });
  }

  async close(): Promise<void> {
    const child = this.#service?.child;
    if (child !== undefined && child.exitCode === null) {
      const exit = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exit;
    }
    await this.#database.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  #spawn(args: readonly string[], own: Environment): ChildProcess {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(PRESAGE_|PORT$|VITEST|NO_COLOR)/.test(name));
    const env = {
      ...Object.fromEntries(inherited),
      PRESAGE_CONFIG_DIR: join(this.dir, 'config'),
      ...this.#env,
      ...own,
    };
    return spawn(process.execPath, [...args], { cwd: this.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
