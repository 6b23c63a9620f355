// Writes the children's log to disk, so that the terminal stays readable. Its size is bounded, and a failing disk stops nothing.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const MOST_BYTES = 10_000_000;

export class LogFile {
  readonly path: string;
  #descriptor: number | undefined;
  #size = 0;

  constructor(path: string) {
    this.path = path;
  }

  open(): void {
    this.#descriptor ??= this.#append();
  }

  /** Ignores failures: a full disk must not stop the exchange. */
  write(line: string): void {
    try {
      this.#descriptor ??= this.#append();
      this.#size += writeSync(this.#descriptor, `${line}\n`);
      if (this.#size > MOST_BYTES) this.#turn();
    } catch {
      this.close();
    }
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    try {
      if (descriptor !== undefined) closeSync(descriptor);
    } catch {
      return; // A failing disk may fail here too.
    }
  }

  #append(): number {
    const descriptor = openSync(this.path, 'a', 0o600);
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }

  /** Rotates the log; keeps one older file. */
  #turn(): void {
    this.close();
    renameSync(this.path, `${this.path}.1`);
  }
}
