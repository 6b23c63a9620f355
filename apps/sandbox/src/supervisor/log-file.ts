// The service's log on disk, so that the terminal stays readable: bounded, and never a reason to stop.
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

  /** A full disk must not take the exchange down with its log. */
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
      return; // A disk that fails says so here, too.
    }
  }

  #append(): number {
    const descriptor = openSync(this.path, 'a', 0o600);
    this.#size = fstatSync(descriptor).size;
    return descriptor;
  }

  /** One older log is kept. */
  #turn(): void {
    this.close();
    renameSync(this.path, `${this.path}.1`);
  }
}
