// Probes the database on a connection of its own, so that a busy pool is not mistaken for a dead server.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionPool } from './connection-pool.ts';

interface DatabaseProbeOptions {
  readonly pool: ConnectionPool;
  /** Called if the server keeps its connections but answers nothing, so that no query fails. */
  readonly onSilence: () => void;
  readonly lookMs?: number | undefined;
}

const TIMEOUT_MS = 1_000;
const LOOK_MS = 5_000;
/** Counted in probes instead of seconds: a process that had no CPU time probes once and then reads the answer. */
const LOOKS_UNANSWERED = 2;

export class DatabaseProbe {
  readonly #options: DatabaseProbeOptions;
  readonly #timer: NodeJS.Timeout;
  #question: Promise<boolean> | undefined;
  #unanswered = 0;

  constructor(options: DatabaseProbeOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.lookMs ?? LOOK_MS).unref();
  }

  /** Whether the database answers within a second. */
  readonly isUp = async (): Promise<boolean> => {
    const timer = new AbortController();
    const silence = sleep(TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false);
    const answer = await Promise.race([this.#ask(), silence]);
    timer.abort();
    return answer;
  };

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#options.pool.close(0);
  }

  #look(): void {
    if (this.#question === undefined) {
      this.#unanswered = 0;
      void this.#ask();
    } else if (++this.#unanswered >= LOOKS_UNANSWERED) {
      this.#unanswered = 0;
      this.#options.pool.moveOn();
      this.#options.onSilence();
    }
  }

  /** Joins an unanswered question: further ones would pile up while the server is unreachable. */
  #ask(): Promise<boolean> {
    const { sql } = this.#options.pool;
    this.#question ??= sql`select 1`
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#question = undefined;
      });
    return this.#question;
  }
}
