// What an operator has before their service runs: a folder, keys in the environment, a PostgreSQL server, the command line.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { inheritedEnvironment } from '@presage/testkit';

type Environment = Readonly<Record<string, string>>;

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const PRESAGE = at('apps/cli/bin/presage.mjs');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Operator {
  readonly dir: string;
  #env: Environment;
  readonly #database: EmbeddedPostgres;
  #service: { readonly url: string; readonly adminUrl: string } | undefined;

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

  get databaseUrl(): string {
    return this.#database.url;
  }

  /** A service that was started by other hands. */
  useService(url: string, adminUrl: string): void {
    this.#service = { url, adminUrl };
  }

  addSettings(further: Environment): void {
    this.#env = { ...this.#env, ...further };
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

  async close(): Promise<void> {
    await this.#database.close();
    await rm(this.dir, { recursive: true, force: true });
  }

  #spawn(args: readonly string[], own: Environment): ChildProcess {
    const env = {
      ...inheritedEnvironment(/^NO_COLOR/),
      PRESAGE_CONFIG_DIR: join(this.dir, 'config'),
      ...this.#env,
      ...own,
    };
    return spawn(process.execPath, [...args], { cwd: this.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
  }
}
