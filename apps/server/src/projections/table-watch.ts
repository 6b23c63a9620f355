// Checks every second that the tables are unchanged: a service that writes nothing would not notice a loss.
import { sleep } from '@presage/runtime';

const LOOK_MS = 1_000;

export class TableWatch {
  readonly #isIntact: () => Promise<boolean>;
  readonly #onLost: () => void;
  readonly #closing = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(isIntact: () => Promise<boolean>, onLost: () => void) {
    this.#isIntact = isIntact;
    this.#onLost = onLost;
  }

  start(): void {
    this.#looking = this.#watch();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#looking;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(LOOK_MS, signal).catch(() => undefined);
      // A database that does not answer has lost nothing yet; if it has, the next write fails.
      const isLost = !signal.aborted && !(await this.#isIntact().catch(() => true));
      if (isLost) this.#onLost();
    }
  }
}

/** PostgreSQL's codes for a missing table, schema and column. */
const MISSING = new Set(['42P01', '3F000', '42703']);

export function isMissingTable(error: unknown): boolean {
  return MISSING.has(codeOf(error));
}

/** PostgreSQL's code of an error, or the client's; empty if it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
