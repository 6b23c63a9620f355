// Watches whether the journal's server has its synchronous standby, and applies the operator's choice while it has none.
import { ConnectionLost } from '@presage/journal';
import { withinTime } from '@presage/runtime';
import type { StandbyChoice } from '../config.ts';
import type { ConnectionPool } from './connection-pool.ts';

export interface StandbyWatchOptions {
  /** A pool of its own with one connection: all others may be waiting for the standby. */
  readonly pool: ConnectionPool;
  readonly choice: StandbyChoice;
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly onStandby?: ((isAway: boolean) => void) | undefined;
}

interface Facts {
  readonly in_recovery: boolean;
  readonly is_away: boolean;
}

const LOOK_MS = 1_000;
/** A host that vanished closes no connection. Only this watch uses the pool, so dropping it cuts off nothing else. */
const ANSWER_MS = 5_000;
/** Number of checks without a standby before writing continues without it. */
const ALONE_AFTER_LOOKS = 3;

/** A role that cannot see the state of other sessions reads null, which counts as a standby: grant it pg_monitor. */
const LOOK = `select pg_is_in_recovery() as in_recovery, coalesce(current_setting('synchronous_standby_names', true), '') <> ''
    and not exists (select 1 from pg_stat_replication where sync_state is null or sync_state in ('sync', 'quorum')) as is_away`;

/**
 * Ends the waits for the standby, because a waiting commit keeps its locks. The answer then carries a warning, which
 * the journal treats as none: it asks again whether the frame is there, by a statement that does not wait.
 */
const END_WAITS = `select pg_cancel_backend(pid) from pg_stat_activity
  where wait_event = 'SyncRep' and usename = current_user and application_name like 'presage%'`;

export class StandbyWatch {
  readonly #options: StandbyWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #looks = 0;
  #isLooking = false;

  constructor(options: StandbyWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#lookOnce(), LOOK_MS).unref();
  }

  /** Whether the server has no synchronous standby although it is configured to wait for one. */
  get isAway(): boolean {
    return this.#looks > 0;
  }

  /** Whether statements may skip the standby. */
  get isAlone(): boolean {
    return this.#options.choice === 'alone' && this.#looks >= ALONE_AFTER_LOOKS;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#options.pool.close(0);
  }

  async #lookOnce(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // Writers notice a server that does not answer.
    await this.#look().catch(() => undefined);
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    const { pool } = this.#options;
    const [facts] = await this.#ask<Facts>(LOOK);
    if (facts?.in_recovery) return pool.moveOn();
    const wasAlone = this.isAlone;
    const wasAway = this.isAway;
    this.#looks = facts?.is_away ? this.#looks + 1 : 0;
    if (this.isAway !== wasAway) {
      this.#options.onStandby?.(this.isAway);
      this.#options.onWarning?.(this.#describe());
    }
    if (this.isAlone && !wasAlone) this.#tellAlone();
    if (this.isAlone) await this.#ask(END_WAITS);
  }

  /** Moves on to the next server if this one does not answer. */
  async #ask<Row extends object>(statement: string): Promise<readonly Row[]> {
    const { pool } = this.#options;
    const { losses } = pool;
    const toSilence = () => new ConnectionLost(`no answer within ${ANSWER_MS} ms`);
    return withinTime(pool.sql.unsafe<Row[]>(statement), ANSWER_MS, toSilence).catch((error: unknown) => {
      if (error instanceof ConnectionLost) pool.moveOn(losses);
      throw error;
    });
  }

  #describe(): string {
    if (!this.isAway) return 'the synchronous standby of the journal is back: commits are on both servers again';
    const consequence =
      this.#options.choice === 'wait'
        ? 'nothing can be written until it is back (PRESAGE_STANDBY_AWAY=wait)'
        : `in ${ALONE_AFTER_LOOKS} s writes continue without it (PRESAGE_STANDBY_AWAY=alone)`;
    return `the journal's server has lost its synchronous standby: ${consequence}`;
  }

  #tellAlone(): void {
    this.#options.onWarning?.(
      'the journal is written without its standby: what is answered now is lost if the primary is lost before the standby has caught up',
    );
  }
}
