// Asks the database whether it is there, on a connection of its own, so that a busy pool is not taken for a dead server.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionPool } from './connection-pool.ts';

const TIMEOUT_MS = 1_000;

export class HealthProbe {
  readonly #pool: ConnectionPool;
  #question: Promise<boolean> | undefined;

  /** The probe closes this pool with itself. */
  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  async isUp(): Promise<boolean> {
    // No second probe while one is unanswered: they would pile up while the server is unreachable.
    this.#question ??= this.#ask().finally(() => {
      this.#question = undefined;
    });
    const timer = new AbortController();
    const silence = sleep(TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false);
    const answer = await Promise.race([this.#question, silence]);
    timer.abort();
    return answer;
  }

  close(): Promise<void> {
    return this.#pool.close(0);
  }

  async #ask(): Promise<boolean> {
    try {
      await this.#pool.sql`select 1`;
      return true;
    } catch {
      return false;
    }
  }
}
