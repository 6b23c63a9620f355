// Shows the progress at the terminal: each step with its time, notices, and warnings of the service.
import { styleText } from 'node:util';

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export interface TerminalReporterOptions {
  readonly out: Terminal;
  readonly err: Terminal;
  readonly isQuiet: boolean;
}

const NAME_WIDTH = 11;
const TEXT_WIDTH = 52;
/** Least interval between progress lines on an output whose lines cannot be overwritten. */
const PLAIN_PROGRESS_MS = 2_000;
const CLEAR_LINE = '\r\x1b[K';
const WARN_LEVEL = 40;

export class TerminalReporter {
  readonly #options: TerminalReporterOptions;
  readonly #isLive: boolean;
  #shownMs = 0;

  constructor(options: TerminalReporterOptions) {
    this.#options = options;
    this.#isLive = options.out.isTTY === true;
  }

  say(text: string): void {
    if (!this.#options.isQuiet) this.#options.out.write(`${this.#isLive ? CLEAR_LINE : ''}${text}\n`);
  }

  /** Runs a step; its final line shows the result and the duration. */
  async step<T>(name: string, work: (progress: (text: string) => void) => Promise<readonly [T, string]>): Promise<T> {
    const startMs = performance.now();
    this.#shownMs = startMs;
    const progress = (text: string) => this.#progress(name, text);
    if (this.#isLive) progress('...');
    const [result, text] = await work(progress);
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    this.say(`  ${this.#style('bold', name.padEnd(NAME_WIDTH))}${text.padEnd(TEXT_WIDTH)}${seconds.padStart(6)} s`);
    return result;
  }

  /** Shows a warning, even if quiet. */
  warn(text: string): void {
    this.#options.err.write(`${this.#isLive ? CLEAR_LINE : ''}${this.#style('yellow', text)}\n`);
  }

  /** Writes a line to stderr unchanged. */
  pass(line: string): void {
    this.#options.err.write(`${line}\n`);
  }

  /** Takes a line of the service's log; shows warnings and errors in short form. */
  log(line: string): void {
    const entry: { level?: number; msg?: string; time?: unknown } = JSON.parse(line);
    const { level, msg, time: _time, ...details } = entry;
    if (typeof level !== 'number' || level < WARN_LEVEL || this.#options.isQuiet) return;
    this.warn(`service: ${msg ?? ''} ${JSON.stringify(details)}`);
  }

  #progress(name: string, text: string): void {
    if (this.#options.isQuiet) return;
    const line = `  ${name.padEnd(NAME_WIDTH)}${text}`;
    if (this.#isLive) return void this.#options.out.write(CLEAR_LINE + this.#style('dim', line));
    const nowMs = performance.now();
    if (nowMs - this.#shownMs < PLAIN_PROGRESS_MS) return;
    this.#shownMs = nowMs;
    this.#options.out.write(`${line}\n`);
  }

  #style(format: 'bold' | 'dim' | 'yellow', text: string): string {
    return this.#isLive && !process.env.NO_COLOR ? styleText(format, text) : text;
  }
}
