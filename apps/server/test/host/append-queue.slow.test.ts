// Appends of several partitions of one node to a real PostgreSQL: those of one turn are one statement, and each is judged by itself.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { type JournalDatabase, JournalFenced, JournalPoisoned, PostgresJournal } from '@presage/journal';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

const SEED = seedFromEnv(3);
const PARTITIONS = ['m0', 'm1', 'm2', 'control'];
let dataDir: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'presage-appends-'));
  server = await EmbeddedPostgres.open({ dataDir });
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function openAll(
  prefix: string,
  beforeAppend: (partitions: readonly string[]) => Promise<void> | void = () => {},
) {
  const { database: inner, close } = await openJournalDatabase(server.url);
  onTestFinished(close);
  const appends: number[] = [];
  const database: JournalDatabase = {
    query: async (statement, parameters) => {
      if (statement.startsWith('insert into journal_frames')) {
        const partitions = parameters[0] as string[];
        appends.push(partitions.length);
        await beforeAppend(partitions);
      }
      return inner.query(statement, parameters);
    },
  };
  const open = (partition: string) => PostgresJournal.open({ database, partition, address: 'a node', leaseMs: 60_000 });
  const journals = await Promise.all(PARTITIONS.map((name) => open(`${prefix}-${name}`)));
  onTestFinished(async () => void (await Promise.all(journals.map((journal) => journal.close()))));
  return { database, journals, appends };
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function textsOf(journal: PostgresJournal): Promise<string[]> {
  const found: string[] = [];
  for await (const { records } of journal.read(1)) found.push(...records.map((each) => new TextDecoder().decode(each)));
  return found;
}

describe('appends of several partitions', () => {
  it('that are due in one turn go in one statement, also with what came while another was on its way', async () => {
    const { journals, appends } = await openAll('one');
    await Promise.all(journals.map((journal) => journal.append([bytesOf('a')], 1)));
    expect(appends).toEqual([4]);
    const first = journals[0]!.append([bytesOf('b')], 2);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    await Promise.all([first, ...journals.slice(1).map((journal) => journal.append([bytesOf('b')], 2))]);
    expect(appends).toEqual([4, 1, 3]);
    for (const journal of journals) expect(await textsOf(journal)).toEqual(['a', 'b']);
  });

  it('are written although another node has one of the partitions by now', async () => {
    const { database, journals } = await openAll('fenced');
    const [lost, ...kept] = journals;
    await database.query(`update journal_leases set owner = 'another', epoch = epoch + 1 where part = $1`, [
      'fenced-m0',
    ]);
    const results = await Promise.allSettled(journals.map((journal) => journal.append([bytesOf('a')], 1)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    expect(results[0]).toMatchObject({ reason: expect.any(JournalFenced) });
    expect(await textsOf(lost!)).toEqual([]);
    for (const journal of kept) expect(await textsOf(journal)).toEqual(['a']);
  });

  it('are written although somebody else has written the frame of one of them', async () => {
    const { database, journals } = await openAll('taken');
    const [taken, ...kept] = journals;
    await taken!.append([bytesOf('a')], 1);
    const copy = `insert into journal_frames select part, 2, 2, epoch, '\\x00', frame from journal_frames where part = $1`;
    await database.query(copy, ['taken-m0']);
    const results = await Promise.allSettled(journals.map((journal) => journal.append([bytesOf('b')], 2)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    for (const journal of kept) expect(await textsOf(journal)).toEqual(['b']);
  });

  it('are written although the server refuses one of them', async () => {
    const { database, journals } = await openAll('refused');
    await database.query(`alter table journal_frames add constraint none check (part <> 'refused-m1')`, []);
    onTestFinished(async () => void (await database.query('alter table journal_frames drop constraint none', [])));
    const results = await Promise.allSettled(journals.map((journal) => journal.append([bytesOf('a')], 1)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: expect.any(JournalPoisoned) });
  });

  it('of other partitions are written while one hangs, and the one that hung is written when it is answered', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { journals, appends } = await openAll('hung', (partitions) =>
      partitions.includes('hung-m0') ? held : undefined,
    );
    const [hung, ...others] = journals;
    const hanging = hung!.append([bytesOf('a')], 1);
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    for (const text of ['a', 'b']) await Promise.all(others.map((journal) => journal.append([bytesOf(text)], 1)));
    expect(appends).toEqual([1, 3, 3]);
    for (const journal of others) expect(await textsOf(journal)).toEqual(['a', 'b']);
    expect(await textsOf(hung!)).toEqual([]);
    release();
    await hanging;
    await Promise.all(journals.map((journal) => journal.append([bytesOf('c')], 2)));
    expect(appends).toEqual([1, 3, 3, 4]);
    expect(await textsOf(hung!)).toEqual(['a', 'c']);
  });

  it('keep each partition in its own order, whatever is sent when', async () => {
    const random = new SeededRandom(SEED);
    const { journals, appends } = await openAll('many');
    const write = async (journal: PostgresJournal) => {
      for (let n = 0; n < 60; n++) {
        for (let turns = random.int(0, 3); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        await journal.append([bytesOf(`${n}`)], n + 1);
      }
    };
    await Promise.all(journals.map(write));
    const all = Array.from({ length: 60 }, (_, n) => `${n}`);
    for (const journal of journals) expect(await textsOf(journal)).toEqual(all);
    expect(appends.length).toBeLessThan(4 * 60);
  });
});
