// One run of a child process: its JSON messages on stdout, its log on stderr, its last output and its exit.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface ChildMessage {
  readonly type: string;
}

export interface ChildOptions {
  readonly script: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly onMessage: (message: ChildMessage) => void;
  /** Called with each line of its log: the JSON lines on stderr. */
  readonly onLog: (line: string) => void;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Script that bundles a TypeScript program and runs it. */
export const RUN = fileURLToPath(new URL('../../../../scripts/run.mjs', import.meta.url));
const KEPT_LINES = 20;
/** Wait for the last lines in the pipe after the exit; bounded, because a grandchild may hold the pipe open for ever. */
const LAST_OUTPUT_MS = 300;

export class Child {
  readonly ended: Promise<ChildEnd>;
  readonly #process: ChildProcess;
  readonly #log: string[] = [];
  readonly #output: string[] = [];
  /** Noted when it occurs: Node prints a long list of addresses after it, so the last lines do not show it. */
  hadTooLittleMemory = false;

  constructor(options: ChildOptions) {
    const { script, args = [], environment = process.env } = options;
    this.#process = spawn(process.execPath, [RUN, script, ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Outside the terminal's process group: Ctrl-C must reach only the supervisor, which then stops its children in order.
      detached: true,
    });
    this.ended = this.#watchEnd();
    this.#read(options);
  }

  /** Undefined if the process could not be started at all. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** The last lines that are not JSON: why the process refused to start, or the stack of its crash. */
  get lastOutput(): string {
    return this.#output.join('\n').trim();
  }

  get lastLog(): string {
    return this.#log.join('\n');
  }

  /** Sends SIGTERM, and kills the process after the timeout. */
  async stop(timeoutMs: number): Promise<ChildEnd> {
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), timeoutMs);
    const end = await this.ended;
    clearTimeout(timer);
    return end;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Kills the process at once, and adds the reason as the last line of its output. */
  reject(reason: string): void {
    keepLine(this.#output, reason);
    this.kill();
  }

  #watchEnd(): Promise<ChildEnd> {
    return new Promise((resolve) => {
      this.#process.once('error', (error) => {
        keepLine(this.#output, error.message);
        resolve({ code: null, signal: null });
      });
      this.#process.once('exit', (code, signal) => {
        const timer = setTimeout(() => resolve({ code, signal }), LAST_OUTPUT_MS);
        this.#process.once('close', () => {
          clearTimeout(timer);
          resolve({ code, signal });
        });
      });
    });
  }

  #read({ onMessage, onLog }: ChildOptions): void {
    createInterface({ input: this.#process.stderr! }).on('line', (line) => {
      const isLog = parseObject(line) !== undefined;
      keepLine(isLog ? this.#log : this.#output, line);
      if (isLog) onLog(line);
      else if (line.includes('heap out of memory')) this.hadTooLittleMemory = true;
    });
    createInterface({ input: this.#process.stdout! }).on('line', (line) => {
      const message = parseObject(line);
      // Only our own programs write these lines, so a `type` is enough of a check.
      if (message && 'type' in message) onMessage(message);
      else keepLine(this.#output, line);
    });
  }
}

export function describeEnd({ code, signal }: ChildEnd): string {
  if (signal !== null) return `was ended by ${signal}`;
  return code === null ? 'could not be started' : `ended with exit code ${code}`;
}

function keepLine(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > KEPT_LINES) lines.shift();
}

function parseObject(line: string): ChildMessage | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
