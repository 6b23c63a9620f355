// Whatever becomes of the database, the view heals by itself and neither loses nor doubles anything.

import { setTimeout as sleep } from 'node:timers/promises';
import { isLongRun, MemoryStorage, SILENT_LOG, seedFromEnv } from '@presage/testkit';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { openViews } from '../../src/projections/open.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { ConnectionPool } from '../../src/store/connection-pool.ts';
import { loadViewSchema } from '../../src/store/schema.ts';
import { PlayedHistory } from './played-history.ts';
import { expectSameView } from './same-view.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

const SEED = seedFromEnv(20);
const ORDERS = isLongRun ? 3_000 : 80;
/** Enough to be killed in the middle of, more than once. */
const KILLED_ORDERS = isLongRun ? 6_000 : 300;
/** Enough to be copied rather than unnested. */
const COPIED_ORDERS = 600;
const FAILED_COPIES = 3;
/** 6,000 orders in chunks of 20 records take minutes where others use the cores. */
const TIMEOUT_MS = isLongRun ? 600_000 : 60_000;

const fixture = new ViewFixture();

afterEach(() => fixture.close());

/** A view that has caught up with a history, and the reasons it was rebuilt for. */
async function openView(seed: number, storage = new MemoryStorage('m0')) {
  const played = new PlayedHistory({ seed, orders: ORDERS });
  const log = await fixture.openLog(storage);
  await appendAll(log, played.play(ORDERS));
  const { sql } = await fixture.openStore();
  const reasons: string[] = [];
  const onRebuild = (reason: string) => reasons.push(reason);
  const projector = fixture.openProjector({ source: log, sql, onRebuild });
  await projector.start();
  return { played, log, sql, projector, reasons, onRebuild };
}

describe('a view that starts', () => {
  it('gives up waiting for its database when the process is to end', async () => {
    const log = await fixture.openLog();
    await appendAll(log, new PlayedHistory({ seed: SEED, orders: 5 }).play(5));
    const pool = new ConnectionPool('postgres://127.0.0.1:1/away', 1);
    onTestFinished(() => pool.close(0));
    const tables = { schema: loadViewSchema(), embedded: true, hasOthers: async () => false };
    const store = { ...tables, sql: pool.sql, moveOn: () => undefined };
    const ending = new AbortController();
    const places = { config: { journalUrl: undefined }, journal: { markets: [log], control: log }, store };
    const told = { answeredSeqs: () => [], onProgress: () => undefined, log: SILENT_LOG };
    const opening = openViews({ ...places, ...told, signal: ending.signal });
    setTimeout(() => ending.abort(new Error('the process ends')), 50);
    await expect(opening).rejects.toThrow('the process ends');
  });

  it('goes on from its cursor when the tables are its own', async () => {
    const { played, log, sql, projector, reasons, onRebuild } = await openView(SEED + 1);
    await projector.close();
    const cursor = log.lastSeq;
    await appendAll(log, played.play());
    const seen: number[] = [];
    const onProgress = (progress: { cursor: number }) => seen.push(progress.cursor);
    const next = fixture.openProjector({ source: log, sql, onRebuild, onProgress, limits: { maxChunk: 10 } });
    await next.start();
    expect(reasons).toEqual(['the database is empty']);
    expect(seen[0]).toBeGreaterThan(cursor);
    await expectSameView(sql, played);
  });

  it.each([
    ['with other tables', { schema: { ...loadViewSchema(), hash: 'another' } }],
    ['with other models', { foldHash: 'another' }],
  ])('rebuilds what a program %s built', async (_which, other) => {
    const { played, log, sql, projector, reasons, onRebuild } = await openView(SEED + 2);
    await projector.close();
    const rebuilding = fixture.openProjector({ source: log, sql, onRebuild, ...other });
    await rebuilding.start();
    expect(reasons.slice(1)).toEqual(['the tables are of another version']);
    await expectSameView(sql, played);
  });

  it('is left as it is, and the start refused, when what it would be rebuilt from was deleted', async () => {
    const { played, log, sql, projector, reasons, onRebuild } = await openView(SEED + 2);
    await projector.close();
    const { partition, lastSeq, identity } = log;
    const source = {
      partition,
      firstSeq: 5,
      lastSeq,
      identity,
      read: log.read.bind(log),
      readEnd: log.readEnd.bind(log),
      hashAt: log.hashAt.bind(log),
      subscribe: log.subscribe.bind(log),
    };
    const refused = fixture.openProjector({ source, sql, onRebuild, foldHash: 'another' });
    await expect(refused.start()).rejects.toThrow('records 1 to 4 of m0 were deleted');
    expect(reasons).toHaveLength(1);
    await expectSameView(sql, played);
    await fixture.openProjector({ source, sql, onRebuild }).start();
    expect(reasons).toHaveLength(1);
  });

  it('rebuilds what has seen more than there is in the journal', async () => {
    const storage = new MemoryStorage('m0');
    const { sql, log, projector, reasons, onRebuild } = await openView(SEED + 5, storage);
    await projector.close();
    const former = log.lastSeq;
    storage.frames.splice(1);
    const shorter = await fixture.openLog(storage);
    const next = fixture.openProjector({ source: shorter, sql, onRebuild });
    await next.start();
    expect(reasons.slice(1)).toEqual([`the database is at ${former} of m0, the journal ends at ${shorter.lastSeq}`]);
    expect(next.cursor).toBe(shorter.lastSeq);
    const orders = await sql<{ seq: number }[]>`select seq::int from presage_view.orders`;
    expect(orders.length).toBeGreaterThan(0);
    expect(orders.filter(({ seq }) => seq > shorter.lastSeq)).toEqual([]);
  });

  it('rebuilds over tables that are not its own at all, and leaves other schemas alone', async () => {
    const { sql } = await fixture.openStore();
    await sql`create table public.meta (precious text)`;
    await sql`create schema presage_view`;
    await sql`create table presage_view.meta (foreign_column text)`;
    const played = new PlayedHistory({ seed: SEED + 6, orders: ORDERS });
    const log = await fixture.openLog();
    await appendAll(log, played.play());
    await fixture.openProjector({ source: log, sql }).start();
    await expectSameView(sql, played);
    expect(await sql`select * from public.meta`).toEqual([]);
  });
});

describe('a view that runs', () => {
  it('rebuilds by itself when a table is dropped under it', async () => {
    const { played, log, sql, projector, reasons } = await openView(SEED + 11);
    await sql`drop table presage_view.trades cascade`;
    await appendAll(log, played.play());
    expect(await projector.waitFor(log.lastSeq, TIMEOUT_MS)).toBe(true);
    expect(reasons.slice(1)).toEqual(['missing in the database: trades']);
    await expectSameView(sql, played);
  });

  it('loses and doubles nothing when its connections are killed again and again', async () => {
    const played = new PlayedHistory({ seed: SEED + 12, orders: KILLED_ORDERS });
    const log = await fixture.openLog();
    const { sql } = await fixture.openStore();
    const admin = await fixture.openStore();
    const [{ name } = { name: '' }] = await sql<{ name: string }[]>`select current_database() as name`;
    const troubles: unknown[] = [];
    const onTrouble = (error: unknown) => troubles.push(error);
    const limits = { maxChunk: 20, maxWaiting: 100 };
    const projector = fixture.openProjector({ source: log, sql, limits, onTrouble });
    await projector.start();
    for (let round = 0; round < 12; round++) {
      const appended = appendAll(log, played.play(100));
      // Somewhere inside a transaction, or between two: the projector is busy all along.
      await sleep(round * 3);
      await killConnections(admin.sql, name);
      await appended;
    }
    await appendAll(log, played.play());
    expect(await projector.waitFor(log.lastSeq, TIMEOUT_MS)).toBe(true);
    expect(projector.isUp).toBe(true);
    expect(troubles.length).toBeGreaterThan(0);
    await expectSameView(sql, played);
  });

  it.each([
    ['is refused by a constraint', "raise exception 'told' using errcode = 'unique_violation'"],
    ['finds the disk full', "raise exception 'told' using errcode = 'disk_full'"],
    ['loses its connection', 'perform pg_terminate_backend(pg_backend_pid())'],
  ])('retries a chunk whose COPY %s, and neither loses nor doubles a row', async (_what, failure) => {
    const played = new PlayedHistory({ seed: SEED + 14, orders: COPIED_ORDERS });
    const log = await fixture.openLog();
    const { sql } = await fixture.openStore();
    const troubles: unknown[] = [];
    const projector = fixture.openProjector({ source: log, sql, onTrouble: (error) => troubles.push(error) });
    await projector.start();
    await failCopies(sql, failure);
    await projector.close();
    await appendAll(log, played.play());
    const next = fixture.openProjector({ source: log, sql, onTrouble: (error) => troubles.push(error) });
    await next.start();
    expect(troubles).toHaveLength(FAILED_COPIES);
    await expectSameView(sql, played);
  });

  it('keeps up with a second projector beside it: each record is applied once', async () => {
    const { played, log, sql, projector } = await openView(SEED + 13);
    const second = fixture.openProjector({ source: log, sql });
    await second.start();
    await appendAll(log, played.play());
    for (const each of [projector, second]) expect(await each.waitFor(log.lastSeq, TIMEOUT_MS)).toBe(true);
    await expectSameView(sql, played);
  });
});

describe('a reader who waits', () => {
  it('gets false while the database is blocked, and true as soon as the view has caught up', async () => {
    const { played, log, sql, projector } = await openView(SEED + 21);
    const held = await holdMeta(sql);
    await appendAll(log, played.play(5));
    expect(await projector.waitFor(log.lastSeq, 20)).toBe(false);
    expect(projector.lag).toBeGreaterThan(0);
    const coming = projector.waitFor(log.lastSeq, TIMEOUT_MS);
    await held.release();
    expect(await coming).toBe(true);
    expect(await projector.waitFor(log.lastSeq, 0)).toBe(true);
  });

  it('is not let down when more came meanwhile than the view keeps in memory', async () => {
    const played = new PlayedHistory({ seed: SEED + 22, orders: ORDERS });
    const log = await fixture.openLog();
    const { sql } = await fixture.openStore();
    const projector = fixture.openProjector({ source: log, sql, limits: { maxWaiting: 10, maxChunk: 50 } });
    await projector.start();
    const held = await holdMeta(sql);
    await appendAll(log, played.play());
    await held.release();
    expect(await projector.waitFor(log.lastSeq, TIMEOUT_MS)).toBe(true);
    await expectSameView(sql, played);
  });

  it('is let go when the view closes', async () => {
    const { log, projector } = await openView(SEED + 23);
    const waiting = projector.waitFor(log.lastSeq + 1, TIMEOUT_MS);
    await projector.close();
    expect(await waiting).toBe(false);
  });
});

/** The first copies into three tables fail after their last row: a sequence counts on when a transaction is rolled back. */
async function failCopies(sql: Sql, failure: string): Promise<void> {
  await sql`create sequence presage_view.copies`;
  await sql.unsafe(`create function presage_view.fail_copy() returns trigger language plpgsql as $$ begin
    if current_query() ilike 'copy %' and nextval('presage_view.copies') <= ${FAILED_COPIES} then ${failure}; end if;
    return null; end $$`);
  for (const table of ['orders', 'trades', 'trade_moves']) {
    await sql.unsafe(`create trigger failing after insert on presage_view.${table}
      for each statement execute function presage_view.fail_copy()`);
  }
}

async function killConnections(sql: Sql, database: string): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`;
}

/** Holds the cursor's row in a transaction of its own until released. */
async function holdMeta(sql: Sql): Promise<{ release(): Promise<void> }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = () => {};
  const held = new Promise<void>((resolve) => {
    isHeld = resolve;
  });
  const transaction = sql.begin(async (inner) => {
    await inner`select 1 from presage_view.meta for update`;
    isHeld();
    await released;
  });
  await held;
  return {
    release: async () => {
      release();
      await transaction;
    },
  };
}
