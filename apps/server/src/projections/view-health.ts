// What operators are told about tables that were lost while the service runs: in the log, and until they are whole again.
import type { Log } from '../log/log.ts';
import { ViewRefused, ViewVoid } from './view-refusals.ts';

export interface ViewHealthOptions {
  readonly name: 'view' | 'audit log';
  /** Last durable sequence of each partition, and the last one that the tables show. */
  readonly ends: () => readonly number[];
  readonly cursors: () => readonly number[];
  readonly log: Log;
}

interface Loss {
  readonly reason: string;
  readonly sinceMs: number;
  /** Sequences that the tables have to show again. */
  readonly ends: readonly number[];
}

/** A small view is rebuilt sooner than anybody asks: a probe every few seconds should still see that it was lost. */
const TOLD_MS = 10_000;

export class ViewHealth {
  readonly #options: ViewHealthOptions;
  #isRunning = false;
  #loss: Loss | undefined;

  constructor(options: ViewHealthOptions) {
    this.#options = options;
  }

  /** A rebuild before this call is part of the start and is not reported. */
  start(): void {
    this.#isRunning = true;
  }

  readonly onRebuild = (reason: string): void => {
    if (!this.#isRunning) return;
    this.#lose(reason);
    this.#options.log.warn({ reason }, `the ${this.#options.name} is rebuilt from the journal`);
  };

  /** A refusal is repeated until it is mended, and logged once. */
  readonly onTrouble = (error: unknown): void => {
    const { name, log } = this.#options;
    if (!(error instanceof ViewRefused)) {
      const event = error instanceof ViewVoid ? 'was moved; its place is read again' : 'was not written; retrying';
      log.warn({ error: String(error) }, `the ${name} ${event}`);
    } else if (this.#lose(error.message)) log.warn({ error: error.message }, `the ${name} cannot be used`);
  };

  /** Why the tables do not show the journal whole; undefined while they do. */
  get trouble(): string | undefined {
    if (this.#loss === undefined) return undefined;
    const { reason, sinceMs, ends } = this.#loss;
    const cursors = this.#options.cursors();
    const isWhole = ends.every((end, index) => end <= cursors[index]!);
    if (isWhole && performance.now() - sinceMs >= TOLD_MS) this.#loss = undefined;
    return this.#loss && reason;
  }

  /** Returns whether the reason is a new one. */
  #lose(reason: string): boolean {
    const isNew = this.trouble !== reason;
    this.#loss = { reason, ends: this.#options.ends(), sinceMs: performance.now() };
    return isNew;
  }
}
