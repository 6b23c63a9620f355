// Reports tables that were lost while the service runs: in the log, and in `trouble` until they are whole again.
import type { Log } from '../log/log.ts';
import { ViewRefused, ViewVoid } from './view-refusals.ts';

export interface ViewHealthOptions {
  readonly name: 'view' | 'audit log';
  /** Last durable sequence of each partition; `cursors` has the last one that the tables show. */
  readonly ends: () => readonly number[];
  readonly cursors: () => readonly number[];
  readonly log: Log;
}

interface Loss {
  readonly reason: string;
  readonly sinceMs: number;
  /** Sequences that the tables must reach again. */
  readonly ends: readonly number[];
}

/** A small view is rebuilt within moments: a probe every few seconds should still see that it was lost. */
const TOLD_MS = 10_000;

export class ViewHealth {
  readonly #options: ViewHealthOptions;
  #isRunning = false;
  #loss: Loss | undefined;

  constructor(options: ViewHealthOptions) {
    this.#options = options;
  }

  /** Rebuilds before this call are part of the start and are not reported. */
  start(): void {
    this.#isRunning = true;
  }

  readonly onRebuild = (reason: string): void => {
    if (!this.#isRunning) return;
    this.#lose(reason);
    this.#options.log.warn({ reason }, `the ${this.#options.name} is rebuilt from the journal`);
  };

  /** A refusal recurs until somebody fixes it; it is logged once. */
  readonly onTrouble = (error: unknown): void => {
    const { name, log } = this.#options;
    if (!(error instanceof ViewRefused)) {
      const event = error instanceof ViewVoid ? 'was moved; its place is read again' : 'was not written; retrying';
      log.warn({ error: String(error) }, `the ${name} ${event}`);
    } else if (this.#lose(error.message)) log.warn({ error: error.message }, `the ${name} cannot be used`);
  };

  /** Why the tables do not show the whole journal; undefined while they do. */
  get trouble(): string | undefined {
    if (this.#loss === undefined) return undefined;
    const { reason, sinceMs, ends } = this.#loss;
    const cursors = this.#options.cursors();
    const isWhole = ends.every((end, index) => end <= cursors[index]!);
    if (isWhole && performance.now() - sinceMs >= TOLD_MS) this.#loss = undefined;
    return this.#loss && reason;
  }

  /** Returns whether the reason is new. */
  #lose(reason: string): boolean {
    const isNew = this.trouble !== reason;
    this.#loss = { reason, ends: this.#options.ends(), sinceMs: performance.now() };
    return isNew;
  }
}
