// Runs `presage` with a configuration directory of its own: in a process of its own where that is the point, else in this one, which saves the start of a program.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJson } from '@presage/protocol';
import { inheritedEnvironment } from '@presage/testkit';
import { runCommand } from '../../src/run-command.ts';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly ended: Promise<Ended>;
  /** Output on stdout so far. */
  output(): string;
  /** As Ctrl-C does. */
  interrupt(): void;
}

const BIN = fileURLToPath(new URL('../../bin/presage.mjs', import.meta.url));

export class Presage {
  readonly #env: Readonly<Record<string, string>>;
  readonly #dir: string;

  private constructor(dir: string, env: Readonly<Record<string, string>>) {
    this.#dir = dir;
    this.#env = env;
  }

  static async open(env: Readonly<Record<string, string>>): Promise<Presage> {
    const dir = await mkdtemp(join(tmpdir(), 'presage-cli-'));
    return new Presage(dir, { ...env, PRESAGE_CONFIG_DIR: join(dir, 'config') });
  }

  close(): Promise<void> {
    return rm(this.#dir, { recursive: true, force: true });
  }

  /** The real program, as typed into a terminal. */
  start(...args: string[]): Running {
    const env = { ...inheritedEnvironment(/^(NO_COLOR|FORCE_COLOR)/), ...this.#env };
    const child = spawn(process.execPath, [BIN, ...args], { cwd: this.#dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });
    return { ended, output: () => stdout, interrupt: () => child.kill('SIGINT') };
  }

  /** Everything but the process: the same words, surroundings and exit code. */
  async run(...args: string[]): Promise<Ended> {
    const [stdout, stderr] = [new Collected(), new Collected()];
    const code = await runCommand(args, { env: this.#env, stdout, stderr });
    return { code, stdout: stdout.text, stderr: stderr.text };
  }

  /** The text output of a command that must succeed. */
  async text(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`presage ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** The JSON output of a command that must succeed. */
  async json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
    const [document, ...others] = await this.lines<T>(...args);
    if (document === undefined || others.length > 0) throw new Error(`presage ${args.join(' ')}: not one document`);
    return document;
  }

  async lines<T = Record<string, unknown>>(...args: string[]): Promise<T[]> {
    return toLines(await this.text(...args, '--json'));
  }
}

/** What a command writes into a pipe. */
class Collected {
  text = '';

  write(more: string): void {
    this.text += more;
  }
}

export function toLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => parseJson(line) as T);
}
