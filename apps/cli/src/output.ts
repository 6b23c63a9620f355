// Writes data to stdout as text or JSON, and progress and errors to stderr.
import { stringifyJson } from '@presage/protocol';
import picocolors from 'picocolors';
import { type Colors, drawFacts, drawTable, type Table } from './table.ts';

/** A terminal or a pipe to write to. */
export interface Sink {
  write(text: string): unknown;
  /** Present on a pipe; `drain` says that its reader has caught up. */
  once?(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Cursor home, clear below; earlier output stays in the scrollback. */
const CLEAR = '\u001b[H\u001b[J';

export class Output {
  readonly json: boolean;
  /** Colors for stdout; none unless it is a terminal. */
  readonly colors: Colors;
  readonly #stdout: Sink;
  readonly #stderr: Sink;
  readonly #dim: (text: string) => string;

  constructor({ json, stdout, stderr, env }: OutputOptions) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
    const wantsColor = !env.NO_COLOR && env.TERM !== 'dumb';
    this.colors = picocolors.createColors(wantsColor && stdout.isTTY === true);
    this.#dim = picocolors.createColors(wantsColor && stderr.isTTY === true).dim;
  }

  get isTerminal(): boolean {
    return this.#stdout.isTTY === true && !this.json;
  }

  get rows(): number {
    return this.#stdout.rows ?? 24;
  }

  /** Shows one document, or one event of a stream: as a line of JSON, or as the text that `draw` returns. */
  show(data: unknown, draw: () => string): void {
    this.#stdout.write(`${this.json ? stringifyJson(data) : draw()}\n`);
  }

  showTable<T>(data: unknown, table: Table<T>): void {
    this.show(data, () => drawTable(table, this.colors));
  }

  showFacts(data: unknown, facts: Readonly<Record<string, string>>): void {
    this.show(data, () => drawFacts(facts, this.colors));
  }

  /** Like `show`, but replaces the previous output on a terminal. */
  redraw(data: unknown, draw: () => string): void {
    if (this.isTerminal) this.#stdout.write(CLEAR);
    this.show(data, draw);
  }

  /** Writes text of any length unchanged; resolves when the reader of a pipe has caught up. */
  async writeText(text: string): Promise<void> {
    const stdout = this.#stdout;
    if (stdout.write(text) !== false || stdout.once === undefined) return;
    await new Promise<void>((resolve) => stdout.once?.('drain', resolve));
  }

  /** Writes progress and hints to stderr: never part of the data. */
  note(text: string): void {
    this.#stderr.write(`${this.#dim(text)}\n`);
  }
}

/** Sanitizes text from other users: no terminal escapes, no bidirectional control characters. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}');
}
