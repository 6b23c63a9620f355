// The pool while connections and servers are killed beneath it: nothing half done, nothing stuck, nothing thrown out of reach.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { isLongRun } from '@presage/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Sql } from '../../src/store/column-types.ts';
import { ConnectionPool } from '../../src/store/connection-pool.ts';

const ROUNDS = isLongRun ? 100 : 8;

const TIMEOUT = { timeout: 20_000, interval: 20 };

describe('ConnectionPool', () => {
  let dataDir: string;
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'presage-store-'));
    await chmod(dataDir, 0o755);
    server = await EmbeddedPostgres.open({ dataDir });
  });

  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true });
  });

  async function openPool(): Promise<{ sql: Sql; killAll: () => Promise<unknown> }> {
    const pool = new ConnectionPool(server.url, 4);
    onTestFinished(() => pool.close(0));
    await pool.sql`drop table if exists pair`;
    await pool.sql`create table pair (id int4, half text)`;
    const admin = postgres(server.url, { max: 1, onnotice: () => undefined });
    onTestFinished(() => admin.end({ timeout: 0 }));
    const killAll = () =>
      admin`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'presage'`.execute();
    return { sql: pool.sql, killAll };
  }

  it('fails a transaction whose connection is killed in a query, and serves the next', async () => {
    const { sql, killAll } = await openPool();
    let killed: Promise<unknown> | undefined;
    const lost = sql.begin(async (transaction) => {
      await transaction`insert into pair values (1, 'left')`;
      killed = sleep(50).then(killAll);
      await transaction`select pg_sleep(600)`;
    });
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await killed;
    expect(await sql`select * from pair`).toEqual([]);
  });

  it('fails a transaction whose connection is killed between two queries, also below a savepoint', async () => {
    const { sql, killAll } = await openPool();
    const lost = sql.begin(async (transaction) => {
      await transaction`insert into pair values (1, 'left')`;
      await transaction.savepoint(async (inner) => {
        await killAll();
        await sleep(100);
        await inner`insert into pair values (1, 'right')`;
      });
    });
    await expect(lost).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(await sql`select * from pair`).toEqual([]);
  });

  it('does not hand the error of a killed query to the next', async () => {
    const { sql, killAll } = await openPool();
    const killed = sleep(50).then(killAll);
    await expect(sql`select pg_sleep(600)`).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    await killed;
    for (let i = 0; i < 8; i += 1) expect(await sql`select ${i}::int4 as i`).toEqual([{ i }]);
  });

  it('rolls back what its caller throws, and keeps a transaction that gave up on a savepoint', async () => {
    const { sql } = await openPool();
    const refused = sql.begin(async (transaction) => {
      await transaction`insert into pair values (1, 'left')`;
      throw new Error('second thoughts');
    });
    await expect(refused).rejects.toThrow('second thoughts');
    const kept = await sql.begin('isolation level read committed', async (transaction) => {
      await transaction`insert into pair values (2, 'left')`;
      await transaction
        .savepoint(async (inner) => {
          await inner`insert into pair values (2, 'right')`;
          throw new Error('not this half');
        })
        .catch(() => undefined);
      return 'kept';
    });
    expect(kept).toBe('kept');
    expect(await sql`select * from pair`).toEqual([{ id: 2, half: 'left' }]);
  });

  it('leaves every transaction whole or absent while connections and the server itself are killed', async () => {
    const { sql, killAll } = await openPool();
    const answered: number[] = [];
    let next = 0;
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const id = next++;
        await sql
          .begin(async (transaction) => {
            await transaction`set local synchronous_commit = on`;
            await transaction`insert into pair values (${id}, 'left')`;
            await transaction`insert into pair values (${id}, 'right')`;
          })
          .then(
            () => answered.push(id),
            () => sleep(5),
          );
      }
    };
    const writers = Array.from({ length: 6 }, write);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = answered.length;
      while (answered.length < before + 20) await sleep(5);
      if (round % 4 === 3) process.kill(server.pid, 'SIGKILL');
      else await killAll().catch(() => undefined);
    }
    isOver = true;
    await Promise.all(writers);
    await vi.waitFor(() => sql`select 1`, TIMEOUT);
    const whole = await sql<{ id: number }[]>`select id from pair group by id having array_agg(half) @> '{left,right}'`;
    const [{ halves } = { halves: -1n }] = await sql<{ halves: bigint }[]>`select count(*) as halves from pair`;
    expect(halves).toBe(2n * BigInt(whole.length));
    const found = new Set(whole.map((row) => row.id));
    expect(answered.filter((id) => !found.has(id))).toEqual([]);
  });
});
