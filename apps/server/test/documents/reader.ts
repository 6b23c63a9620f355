// Somebody who types what documents say into one terminal: settings stay from command to command, and one service may go on meanwhile.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@presage/testkit';

type Environment = Record<string, string>;

const START_TIMEOUT_MS = 280_000;

export class Reader {
  readonly #dir: string;
  #environment: Environment;
  #service: { readonly child: ChildProcess; readonly said: () => string } | undefined;

  constructor(dir: string, own: Environment) {
    this.#dir = dir;
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(PRESAGE_|PORT$|VITEST|NO_COLOR|npm_)/.test(name),
    );
    this.#environment = { ...(Object.fromEntries(inherited) as Environment), ...own };
  }

  /** What it printed; rejects with everything it said when it does not end well. */
  async type(commands: string): Promise<string> {
    const kept = join(this.#dir, '.environment-of-the-reader');
    // Each command must succeed, and what was exported is there for the next block.
    const child = this.#spawn(`set -e\n${commands}\nenv -0 > '${kept}'\n`);
    const said = listen(child);
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`ended with ${code}:\n${commands}\n${said()}`);
    const lines = (await readFile(kept, 'utf8')).split('\0').filter((line) => line.includes('='));
    this.#environment = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    return said();
  }

  /** Ends what ran before, and resolves when the service answers. */
  async start(commands: string, url: string): Promise<void> {
    await this.stop();
    const child = this.#spawn(commands);
    const said = listen(child);
    this.#service = { child, said };
    const isReady = async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${said()}`);
      return (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;
    };
    await waitFor('the service is ready', isReady, { timeoutMs: START_TIMEOUT_MS }).catch((error: Error) => {
      throw new Error(`${error.message}\n${said()}`);
    });
  }

  /** As by Ctrl-C, which reaches every process of the terminal. */
  async stop(): Promise<void> {
    const child = this.#service?.child;
    this.#service = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'close');
    process.kill(-child.pid!, 'SIGINT');
    await ended;
  }

  #spawn(script: string): ChildProcess {
    return spawn('sh', ['-c', script], {
      cwd: this.#dir,
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }
}

function listen(child: ChildProcess): () => string {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  return () => said;
}
