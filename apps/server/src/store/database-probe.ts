// Whether the database answers, asked on a connection of its own: a busy pool is not taken for a dead server.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionPool } from './connection-pool.ts';

interface DatabaseProbeOptions {
  readonly pool: ConnectionPool;
  /** The server keeps its connections and answers nothing, so that nobody would hear an error. */
  readonly onSilence: () => void;
  readonly lookMs?: number | undefined;
}

const TIMEOUT_MS = 1_000;
const LOOK_MS = 5_000;
/** Looks are counted instead of seconds: a process that got no processor meanwhile looks once and then hears the answer. */
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

  /** Whether it answers within a second. */
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

  /** No second question while one is unanswered: they would pile up while the server is unreachable. */
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
