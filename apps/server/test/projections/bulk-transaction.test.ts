// Rows that are copied are there or the failure is told; statements around a COPY keep their order.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BulkTransaction } from '../../src/projections/bulk-transaction.ts';
import type { Store } from '../../src/store/open.ts';
import { openEmptyStore } from '../store/worker-database.ts';

const COPY = 'copy numbers (n) from stdin';
const TIMEOUT_MS = 60_000;

let store: Store;

beforeAll(async () => {
  store = await openEmptyStore();
});

beforeEach(async () => {
  await store.sql`drop table if exists numbers cascade`;
  await store.sql`create table numbers (n integer primary key check (n < 1000000))`;
});

afterAll(() => store.close());

/** Lines of the text format, as several parts. */
function* lines(numbers: Iterable<number | string>): Generator<Uint8Array> {
  for (const number of numbers) yield Buffer.from(`${number}\n`);
}

function inTransaction(work: (bulk: BulkTransaction) => Promise<unknown>): Promise<unknown> {
  return store.sql.begin((sql) => work(new BulkTransaction(sql)));
}

async function readNumbers(): Promise<number[]> {
  return (await store.sql<{ n: number }[]>`select n from numbers order by n`).map(({ n }) => n);
}

describe('a transaction that copies', () => {
  it('executes statements and copies in the order of the calls, without waiting in between', async () => {
    const found: unknown[] = [];
    await inTransaction(async (bulk) => {
      const count = () =>
        bulk.query('select count(*)::int as count from numbers', []).then((rows) => found.push(...rows));
      await Promise.all([count(), bulk.copy(COPY, lines([1, 2, 3])), count(), bulk.copy(COPY, lines([4])), count()]);
    });
    expect(found).toEqual([{ count: 0 }, { count: 3 }, { count: 4 }]);
    expect(await readNumbers()).toEqual([1, 2, 3, 4]);
  });

  it('sends more than the connection buffers', async () => {
    const numbers = Array.from({ length: 200_000 }, (_, index) => index);
    await inTransaction((bulk) => bulk.copy(COPY, lines(numbers)));
    expect(await readNumbers()).toEqual(numbers);
  });

  it.each([
    ['the last row is there twice', [1, 2, 3, 1], '23505'],
    [
      'the first row of many breaks a rule',
      [1_000_000, ...Array.from({ length: 50_000 }, (_, index) => index)],
      '23514',
    ],
    ['a row cannot be read', [1, 'two', 3], '22P02'],
  ])('fails with the reason, and keeps nothing, when %s', async (_what, numbers, code) => {
    const copying = inTransaction((bulk) => bulk.copy(COPY, lines(numbers)));
    await expect(copying).rejects.toMatchObject({ code });
    expect(await readNumbers()).toEqual([]);
  });

  it('fails when the server fails after it has all rows, as on a full disk', async () => {
    await store.sql.unsafe(`create or replace function fail() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`);
    await store.sql`create trigger failing after insert on numbers for each statement execute function fail()`;
    const copying = inTransaction((bulk) => bulk.copy(COPY, lines([1, 2])));
    await expect(copying).rejects.toMatchObject({ code: '53100', message: 'could not extend file' });
    expect(await readNumbers()).toEqual([]);
  });

  it('fails statements that were waiting behind the copy', async () => {
    const outcomes: PromiseSettledResult<unknown>[] = [];
    const copying = inTransaction(async (bulk) => {
      const steps = [bulk.copy(COPY, lines([1, 1])), bulk.query('select 1', []), bulk.copy(COPY, lines([2]))];
      outcomes.push(...(await Promise.allSettled(steps)));
      await Promise.all(steps);
    });
    await expect(copying).rejects.toMatchObject({ code: '23505' });
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await readNumbers()).toEqual([]);
  });

  it('fails when its rows cannot be put together', async () => {
    function* broken(): Generator<Uint8Array> {
      yield Buffer.from('1\n');
      throw new Error('no such value');
    }
    await expect(inTransaction((bulk) => bulk.copy(COPY, broken()))).rejects.toThrow('no such value');
    expect(await readNumbers()).toEqual([]);
  });

  it('fails when the connection is cut in the middle, and the next one works', { timeout: TIMEOUT_MS }, async () => {
    let pid = 0;
    function* cut(): Generator<Uint8Array> {
      yield Buffer.from('1\n');
      process.kill(pid, 'SIGTERM');
      // Until the stream is closed.
      for (;;) yield Buffer.from('2\n');
    }
    const copying = inTransaction(async (bulk) => {
      const [row] = await bulk.query('select pg_backend_pid() as pid', []);
      pid = Number(row?.pid);
      await bulk.copy(COPY, cut());
    });
    await expect(copying).rejects.toThrow();
    await inTransaction((bulk) => bulk.copy(COPY, lines([7])));
    expect(await readNumbers()).toEqual([7]);
  });
});
