// Appends that fail at random, in files and in a real PostgreSQL: whatever was answered is durable, once, and the partition goes on.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { FileJournal, type Journal, PostgresJournal } from '@presage/journal';
import { decodeRecord, type JournalRecord, type OrderHash, PresageError } from '@presage/protocol';
import {
  createOrderBuilders,
  isLongRun,
  ManualClock,
  marketFacts,
  SeededRandom,
  seedFromEnv,
  TEST_MARKET,
  waitFor,
} from '@presage/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FaultyFiles } from '../../../../packages/journal/test/faulty-files.ts';
import { Host } from '../../src/host/host.ts';
import { HostCommands } from '../../src/host/host-commands.ts';
import type { AfterFailure } from '../../src/host/journal-writer.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

const ORDERS = isLongRun ? 2_000 : 600;
const MOST_POSTS = 5;
/** Orders that are under way at the same time. */
const LANES = 8;
const FAILING = 0.06;
const random = new SeededRandom(seedFromEnv(Date.now()));
const clock = new ManualClock();
const nowMs = () => clock.nowMs;

interface FailingJournal {
  open(): Promise<Journal>;
  /** From now on this share of appends, or of a file's operations, fails. */
  misbehave(share: number): Promise<void>;
}

async function failingFiles(): Promise<FailingJournal> {
  const folder = await mkdtemp(join(tmpdir(), 'presage-failing-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = new FaultyFiles();
  const options = { dir: join(folder, 'm0'), partition: 'm0', segmentBytes: 256 * 1024, growBytes: 64 * 1024, files };
  const errors = ['EIO', 'EROFS', 'EDQUOT', 'EPERM'];
  return {
    open: () => FileJournal.open(options),
    misbehave: async (share) => {
      files.fault = (operation) => {
        if (operation === 'rename' || !random.chance(share)) return undefined;
        const code = random.pick(errors);
        return Object.assign(new Error(`${code}: drawn`), { code });
      };
    },
  };
}

/** The server itself refuses: a full disk, a time limit, a broken rule, a conflict that wants the statement repeated. */
const REFUSE = `create or replace function refuse_some() returns trigger language plpgsql as $$
  declare codes text[] := array['53100', '57014', '23514', '40001', '53200', 'XX000'];
  begin
    if random() < (select share from failing) then
      raise exception 'refused by the test' using errcode = codes[1 + floor(random() * 6)::int];
    end if;
    return new;
  end $$`;

let server: EmbeddedPostgres;
let serverDir: string;
let schemas = 0;
beforeAll(async () => {
  serverDir = await mkdtemp(join(tmpdir(), 'presage-failing-'));
  server = await EmbeddedPostgres.open({ dataDir: serverDir });
});
afterAll(async () => {
  await server?.close();
  await rm(serverDir, { recursive: true, force: true });
});

async function failingPostgres(): Promise<FailingJournal> {
  const schema = `journal_${++schemas}`;
  const url = `${server.url}?search_path=${schema}`;
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(`create schema ${schema}`);
  const { database, close } = await openJournalDatabase(url);
  onTestFinished(async () => {
    await close();
    await sql.end();
  });
  const open = () => PostgresJournal.open({ database, partition: 'm0', address: 'a node', leaseMs: 60_000 });
  await (await open()).close();
  await sql.unsafe('create table failing (share float not null); insert into failing values (0)');
  await sql.unsafe(REFUSE);
  // Before the row and after it: the second kind has done its work when it is taken back.
  for (const moment of ['before', 'after']) {
    await sql.unsafe(`create trigger refuse_${moment} ${moment} insert on journal_frames
      for each row execute function refuse_some()`);
  }
  return {
    open,
    misbehave: async (share) => void (await sql`update failing set share = ${share}`),
  };
}

async function openPartition(journal: Journal, afterFailure: AfterFailure) {
  const stops: unknown[] = [];
  const onStopped = (error: unknown) => void (error !== undefined && stops.push(error));
  const log = await PartitionLog.open({
    journal,
    nowMs,
    afterFailure,
    onStopped,
    onFatal: (error) => stops.push(error),
  });
  const host = await Host.open({ log, nowMs, checkpointEvery: 200, imageEvery: 50 });
  return { log, host, stops, commands: new HostCommands([host]) };
}

async function acceptedIn(journal: Journal): Promise<Map<OrderHash, number>> {
  const counts = new Map<OrderHash, number>();
  for await (const { records } of journal.read(1)) {
    for (const record of records.map(decodeRecord)) {
      if (record.type === 'order-accepted') counts.set(record.orderHash, (counts.get(record.orderHash) ?? 0) + 1);
    }
  }
  return counts;
}

describe.each([
  ['files', failingFiles],
  ['PostgreSQL', failingPostgres],
] as const)(`a partition in %s whose appends fail at random, seed ${random.seed}`, (_, create) => {
  it(`answers ${ORDERS} orders, each posted up to ${MOST_POSTS} times, only when they are durable, and takes each once`, async () => {
    const failing = await create();
    const { host, log, stops, commands } = await openPartition(await failing.open(), 'refuse');
    host.start();
    await host.submit({ type: 'list-market', market: marketFacts() });
    const traders = createOrderBuilders(clock);
    const verbs = [traders.aliceBuysYes, traders.bobSellsYes, traders.carolBuysYes, traders.daveSellsYes];
    const answered = new Set<OrderHash>();
    const refusals = new Map<string, number>();
    let left = ORDERS;
    await failing.misbehave(FAILING);
    const post = async (signed: Parameters<HostCommands['placeOrder']>[0]) => {
      try {
        answered.add((await commands.placeOrder(signed)).answer.orderHash);
        return true;
      } catch (error) {
        if (!(error instanceof PresageError)) throw error;
        refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
        // As a client does: a moment later it asks again.
        await new Promise((resolve) => setTimeout(resolve, random.int(0, 200)));
        return false;
      }
    };
    const trade = async () => {
      while (left-- > 0) {
        const params = { price: random.pick(['0.4', '0.5', '0.6']), size: String(random.int(1, 9)) };
        const command = random.pick(verbs)(params);
        // The same signed order at two gateways at once, then again until it is answered or the client gives up.
        for (let posts = 0; posts < MOST_POSTS; posts += 2) {
          const both = posts + 1 < MOST_POSTS ? [post(command), post(command)] : [post(command)];
          if ((await Promise.all(both)).every(Boolean) && random.chance(0.7)) break;
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, trade));
    await failing.misbehave(0);
    await waitFor('it can be written again', async () => {
      const order = traders.aliceBuysYes({ price: '0.1', size: '1' });
      return post(order);
    });
    const shown = host.reads.marketCount;
    await host.close();
    await log.close();
    const again = await failing.open();
    const kept = await acceptedIn(again);
    console.info({
      answered: answered.size,
      kept: kept.size,
      stops: stops.length,
      refusals: Object.fromEntries(refusals),
    });
    expect(stops.length, 'appends failed').toBeGreaterThan(3);
    expect([...refusals.keys()]).toEqual(['journal_unavailable']);
    expect(
      [...answered].filter((orderHash) => !kept.has(orderHash)),
      'answered and not durable',
    ).toEqual([]);
    expect(
      [...kept.values()].filter((count) => count > 1),
      'taken twice',
    ).toEqual([]);
    // On a busy machine the journal heals later, and more clients have given up by then.
    expect(answered.size).toBeGreaterThan(ORDERS / 4);
    // A restart finds what the partition showed at its end.
    const { host: next, log: nextLog } = await openPartition(again, 'refuse');
    expect(next.reads.marketCount).toBe(shown);
    expect(next.reads.bookHash(TEST_MARKET)).toBe(host.reads.bookHash(TEST_MARKET));
    await next.close();
    await nextLog.close();
  });

  it('writes records that wait for their journal once, in their order, without an error', async () => {
    const LEAST = 200;
    const failing = await create();
    const { log, stops } = await openPartition(await failing.open(), 'wait');
    await failing.misbehave(FAILING);
    const note = (seq: number): JournalRecord => {
      const body = { batchId: `batch-${seq}`, trades: [] };
      return { type: 'chain-noted', timeMs: clock.nowMs, topic: 'batch', body };
    };
    const writing: Promise<{ firstSeq: number }>[] = [];
    while (stops.length < 3 || writing.length < LEAST) {
      writing.push(log.append([note(writing.length + 1)]));
      // Frames of a few records each, and some that are appended while the journal is away.
      if (writing.length % 6 === 0) await new Promise((resolve) => setTimeout(resolve, random.int(0, 10)));
    }
    await failing.misbehave(0);
    const refs = await Promise.all(writing);
    expect(refs.map(({ firstSeq }) => firstSeq)).toEqual(Array.from(writing, (_each, index) => index + 1));
    await log.close();
    const again = await failing.open();
    const found: unknown[] = [];
    for await (const { records } of again.read(1)) found.push(...records.map(decodeRecord));
    expect(found).toEqual(Array.from(writing, (_each, index) => note(index + 1)));
    await again.close();
  });
});
