// A transaction of many rows: statements are sent without waiting for each other, and a COPY has the connection to itself.
import { pipeline } from 'node:stream/promises';
import type { Row } from 'postgres';
import type { TransactionSql } from '../store/column-types.ts';

export class BulkTransaction {
  readonly #sql: Pick<TransactionSql, 'unsafe'>;
  /** Resolves when the next statement may be sent. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(sql: Pick<TransactionSql, 'unsafe'>) {
    this.#sql = sql;
  }

  /** Executes statements in the order of the calls. */
  query(statement: string, parameters: readonly string[]): Promise<Row[]> {
    const sent = this.#turn.then(() => {
      const query = this.#sql.unsafe<Row[]>(statement, [...parameters], { prepare: true }).execute();
      // The next statement is sent at once, and fails with this one.
      query.catch(() => undefined);
      return { query };
    });
    this.#take(sent);
    return sent.then(({ query }) => query);
  }

  /** Sends the parts of `copy ... from stdin`. The server would reject any other statement meanwhile. */
  copy(statement: string, parts: Iterable<Uint8Array>): Promise<void> {
    const copied = this.#turn.then(() => this.#copy(statement, parts));
    this.#take(copied);
    return copied;
  }

  #take(turn: Promise<unknown>): void {
    this.#turn = turn;
    // The caller gets the failure, and so does every later statement.
    turn.catch(() => undefined);
  }

  /**
   * The client (postgres 3.4.9) resolves the query with a stream as soon as the server wants data, and rejects the same
   * query if the copy fails. Nobody sees that rejection: the stream never ends, and a later commit reports success
   * although the server rolls back. So the query's `reject` is replaced by one that is awaited.
   */
  async #copy(statement: string, parts: Iterable<Uint8Array>): Promise<void> {
    const query = this.#sql.unsafe(statement);
    const failed = new Promise<never>((_, reject) => Object.assign(query, { reject }));
    const sent = query.writable().then((stream) => pipeline(parts, stream));
    await Promise.race([failed, sent]);
  }
}

/**
 * Waits for all, then rejects with the first failure. A statement sent after the rollback would run outside the
 * transaction, and the failures after the first only say that the transaction has failed.
 */
export async function allEnded(works: readonly Promise<unknown>[]): Promise<void> {
  const first = Promise.all(works);
  first.catch(() => undefined);
  await Promise.allSettled(works);
  await first;
}
