// The journal in a real PostgreSQL: the suite of every body, what a lost connection leaves open, and owners that change.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import {
  ConnectionLost,
  copyJournal,
  FileJournal,
  GroupCommit,
  type Journal,
  JournalCorrupt,
  type JournalDatabase,
  JournalFenced,
  JournalLocked,
  PostgresJournal,
  type PostgresJournalOptions,
} from '@presage/journal';
import { describeJournal } from '@presage/journal/conformance';
import { waitFor } from '@presage/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

const LEASE_MS = 60_000;
let dataDir: string;
let server: EmbeddedPostgres;
let schemas = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'presage-journal-'));
  server = await EmbeddedPostgres.open({ dataDir });
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

type Interrupt = (perform: () => Promise<readonly never[]>) => Promise<readonly never[]>;

/** An empty database of its own; the next append can be interfered with. */
class TestDatabase implements JournalDatabase {
  readonly #inner: JournalDatabase;
  readonly close: () => Promise<void>;
  interrupt: Interrupt | undefined;

  private constructor(inner: JournalDatabase, close: () => Promise<void>) {
    this.#inner = inner;
    this.close = close;
  }

  static async create(): Promise<TestDatabase> {
    const schema = `journal_${++schemas}`;
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
    await sql.unsafe(`create schema ${schema}`);
    await sql.end();
    const { database, close } = await openJournalDatabase(`${server.url}?search_path=${schema}`);
    return new TestDatabase(database, close);
  }

  query<Row>(statement: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const perform = () => this.#inner.query<never>(statement, parameters);
    const { interrupt } = this;
    if (interrupt === undefined || !statement.startsWith('insert into journal_frames')) return perform();
    this.interrupt = undefined;
    return interrupt(perform);
  }

  /** As if nobody had renewed it: the database's clock says so. */
  async expireLease(): Promise<void> {
    await this.query(`update journal_leases set expires = '-infinity'`, []);
  }
}

/** Keeps renewals of a lease on their way until they are released. */
class LateRenewals implements JournalDatabase {
  readonly #inner: JournalDatabase;
  #held: (() => void)[] | undefined;

  constructor(inner: JournalDatabase) {
    this.#inner = inner;
  }

  async query<Row>(statement: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
    const isRenewal = statement.startsWith('update journal_leases set expires = clock_timestamp()');
    if (isRenewal)
      await new Promise<void>((resolve) => (this.#held === undefined ? resolve() : this.#held.push(resolve)));
    return this.#inner.query<Row>(statement, parameters);
  }

  /** Resolves when a renewal is on its way that does not arrive. */
  async hold(): Promise<void> {
    this.#held = [];
    await waitFor('a renewal is on its way', () => (this.#held?.length ?? 0) > 0);
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const resolve of held) resolve();
  }
}

interface LeaseState {
  readonly owner: string;
  readonly epoch: string;
  readonly expires: string;
  readonly held: boolean;
}

async function readLease(database: JournalDatabase): Promise<LeaseState> {
  const columns = 'owner, epoch::text, expires::text, expires > clock_timestamp() as held';
  const [lease] = await database.query<LeaseState>(`select ${columns} from journal_leases`, []);
  return lease!;
}

async function openDatabase(): Promise<TestDatabase> {
  const database = await TestDatabase.create();
  onTestFinished(() => database.close());
  return database;
}

function openOn(database: JournalDatabase, extras: Partial<PostgresJournalOptions> = {}): Promise<PostgresJournal> {
  return PostgresJournal.open({ database, partition: 'm0', address: 'a node', leaseMs: LEASE_MS, ...extras });
}

/** Tries again where the previous owner renews its lease between the two statements. */
async function takeFromRenewer(database: TestDatabase): Promise<PostgresJournal> {
  for (;;) {
    await database.expireLease();
    const taken = await openOn(database).catch((error: unknown) => error);
    if (taken instanceof PostgresJournal) return taken;
    if (!(taken instanceof JournalLocked)) throw taken;
  }
}

const record = (text: string): Uint8Array => new TextEncoder().encode(text);

async function textsOf(journal: Journal, fromSeq = 1): Promise<string[]> {
  const found: string[] = [];
  for await (const { records } of journal.read(fromSeq))
    found.push(...records.map((bytes) => new TextDecoder().decode(bytes)));
  return found;
}

describeJournal(
  'PostgresJournal',
  async (partition) => {
    const database = await TestDatabase.create();
    const open = () => openOn(database, { partition });
    return {
      open,
      takeOver: async () => {
        await database.expireLease();
        return open();
      },
      failNextWrite: (error) => {
        database.interrupt = () => Promise.reject(error);
      },
      destroy: () => database.close(),
    };
  },
  { leases: true },
);

describe('an append whose connection is lost', () => {
  it('is found to be written when it was, and is not written again', async () => {
    const database = await openDatabase();
    const journal = await openOn(database);
    await journal.append([record('a')], 1);
    database.interrupt = async (perform) => {
      await perform();
      throw new ConnectionLost('gone after the commit');
    };
    expect(await journal.append([record('b')], 2)).toMatchObject({ firstSeq: 2, lastSeq: 2 });
    await journal.append([record('c')], 3);
    expect(await textsOf(journal)).toEqual(['a', 'b', 'c']);
    await journal.close();
  });

  it('is written under a later epoch when it was not', async () => {
    const database = await openDatabase();
    const journal = await openOn(database);
    const { epoch } = journal;
    database.interrupt = () => Promise.reject(new ConnectionLost('gone before the commit'));
    const { frame } = await journal.append([record('a')], 1);
    expect(journal.epoch).toBeGreaterThan(epoch);
    expect(Buffer.from(frame.hash).toString('hex')).toBe(journal.headHash);
    expect(await textsOf(journal)).toEqual(['a']);
    await journal.close();
  });

  it('cannot be carried out late by a server that still had the statement', async () => {
    const database = await openDatabase();
    const journal = await openOn(database);
    let sendLate: (() => Promise<readonly never[]>) | undefined;
    database.interrupt = (perform) => {
      sendLate = perform;
      return Promise.reject(new ConnectionLost('the statement is still on its way'));
    };
    await journal.append([record('a')], 1);
    expect(await sendLate!()).toEqual([]);
    expect(await textsOf(journal)).toEqual(['a']);
    await journal.close();
  });

  it('stops the partition when the database has lost what was acknowledged, and says how much', async () => {
    const database = await openDatabase();
    const markDir = join(dataDir, 'marks-of-a-node');
    const journal = await openOn(database, { markDir });
    for (const text of ['a', 'b', 'c']) await journal.append([record(text)], 1);
    database.interrupt = async () => {
      await database.query('delete from journal_frames where first_seq > 1', []);
      throw new ConnectionLost('another server answers now');
    };
    await expect(journal.append([record('d')], 1)).rejects.toThrow(
      'records up to sequence 3 of m0 were acknowledged, but the database ends at 1',
    );
    await journal.close();
  });

  it('gives up after its patience, and what it had acknowledged is there for the next owner', async () => {
    const database = await openDatabase();
    const journal = await openOn(database, { patienceMs: 200 });
    await journal.append([record('a')], 1);
    const { query } = database;
    const lost = () => Promise.reject(new ConnectionLost('nobody answers'));
    Object.assign(database, { query: lost });
    await expect(journal.append([record('b')], 1)).rejects.toThrow('nobody answers');
    Object.assign(database, { query });
    await journal.close();
    const next = await openOn(database);
    expect(await textsOf(next)).toEqual(['a']);
    await next.close();
  });
});

describe('a database that went back', () => {
  it('is not written on over the gap by an owner whose lease it still knows', async () => {
    const database = await openDatabase();
    const journal = await openOn(database);
    for (const text of ['a', 'b', 'c']) await journal.append([record(text)], 1);
    await database.query('delete from journal_frames where first_seq = 3', []);
    await expect(journal.append([record('d')], 1)).rejects.toThrow(
      'records up to sequence 3 of m0 were acknowledged, but the database ends at 2',
    );
    await journal.close();
    const next = await openOn(database);
    expect(await textsOf(next)).toEqual(['a', 'b']);
    await next.close();
  });

  it('is not opened by a node that had acknowledged more, or something else', async () => {
    const database = await openDatabase();
    const markDir = join(dataDir, 'marks-of-another-node');
    const journal = await openOn(database, { markDir });
    for (const text of ['a', 'b']) await journal.append([record(text)], 1);
    await journal.close();
    await database.query('delete from journal_frames where first_seq = 2', []);
    await expect(openOn(database, { markDir })).rejects.toThrow(JournalCorrupt);
    const other = await openOn(database);
    await other.append([record('another b')], 1);
    await other.close();
    await expect(openOn(database, { markDir })).rejects.toThrow('is not the one that this node acknowledged');
  });
});

describe('owners that change', () => {
  it('a node that was silent for its lease is told, and can acknowledge nothing more', async () => {
    const database = await openDatabase();
    const lost: JournalFenced[] = [];
    const previous = await openOn(database, { leaseMs: 300, onLost: (error) => lost.push(error) });
    await previous.append([record('a')], 1);
    const owner = await takeFromRenewer(database);
    await waitFor('the previous owner is told', () => lost.length === 1);
    await expect(previous.append([record('lost')], 2)).rejects.toThrow(JournalFenced);
    await owner.append([record('b')], 2);
    expect(await textsOf(owner)).toEqual(['a', 'b']);
    await previous.close();
    // Closing the previous one gave nothing up that is not its own.
    await expect(openOn(database)).rejects.toThrow('a node holds the partition m0');
    await owner.close();
  });

  it('a renewal that comes after the lease ran out keeps it while nobody else has taken it', async () => {
    const database = await openDatabase();
    const late = new LateRenewals(database);
    const owner = await openOn(late, { leaseMs: 3_000 });
    await owner.append([record('a')], 1);
    await late.hold();
    await database.expireLease();
    late.release();
    await waitFor('the lease is held again', async () => (await readLease(database)).held);
    await expect(openOn(database)).rejects.toThrow(JournalLocked);
    await owner.append([record('b')], 2);
    expect(await textsOf(owner)).toEqual(['a', 'b']);
    await owner.close();
  });

  it('a renewal that comes after another node has taken the lease changes nothing of it, and tells the previous owner', async () => {
    const database = await openDatabase();
    const late = new LateRenewals(database);
    const lost: JournalFenced[] = [];
    const previous = await openOn(late, { leaseMs: 300, onLost: (error) => lost.push(error) });
    await previous.append([record('a')], 1);
    await late.hold();
    await database.expireLease();
    const owner = await openOn(database);
    const before = await readLease(database);
    late.release();
    await waitFor('the previous owner is told', () => lost.length === 1);
    expect(await readLease(database)).toEqual(before);
    await expect(previous.append([record('lost')], 2)).rejects.toThrow(JournalFenced);
    await owner.append([record('b')], 2);
    expect(await textsOf(owner)).toEqual(['a', 'b']);
    await previous.close();
    await owner.close();
  });

  it('of many nodes that want a partition at once one gets it', async () => {
    const database = await openDatabase();
    await (await openOn(database)).close();
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => openOn(database)));
    const owners = opened.filter((result) => result.status === 'fulfilled');
    expect(owners).toHaveLength(1);
    await Promise.all(owners.map(({ value }) => value.close()));
  });
});

describe('a journal that is moved', () => {
  const openFiles = (name: string) => FileJournal.open({ dir: join(dataDir, name), partition: 'm0' });

  it('from files into the database and back has the same head, and can be written on at each place', async () => {
    const database = await openDatabase();
    const files = await openFiles('first-files');
    for (let index = 0; index < 50; index++) await files.append([record(`${index}`), record('x')], index);
    const moved = await openOn(database);
    await copyJournal(files, moved);
    expect(moved.headHash).toBe(files.headHash);
    await Promise.all([files.close(), moved.close()]);
    const owner = await openOn(database);
    await owner.append([record('written in the database')], 60);
    const back = await openFiles('second-files');
    await copyJournal(owner, back);
    expect(back.headHash).toBe(owner.headHash);
    await Promise.all([owner.close(), back.close()]);
    const again = await openFiles('second-files');
    expect(await again.append([record('written in files')], 61)).toMatchObject({ firstSeq: 102 });
    await again.close();
  });

  it('goes on where an interrupted copy ended, and never over another history', async () => {
    const database = await openDatabase();
    const files = await openFiles('third-files');
    for (const text of ['a', 'b']) await files.append([record(text)], 1);
    const moved = await openOn(database);
    await copyJournal(files, moved);
    await files.append([record('c')], 2);
    await copyJournal(files, moved);
    expect(await textsOf(moved)).toEqual(['a', 'b', 'c']);
    const other = await openFiles('other-files');
    for (const text of ['a', 'b', 'another c', 'd']) await other.append([record(text)], 2);
    await expect(copyJournal(other, moved)).rejects.toThrow('the hash chain is broken');
    expect(await textsOf(moved)).toEqual(['a', 'b', 'c']);
    await Promise.all([files.close(), moved.close(), other.close()]);
  });
});

describe('a server that is killed while many append', () => {
  it('loses and doubles nothing that was acknowledged, in order', async () => {
    const database = await openDatabase();
    const journal = await openOn(database);
    const commits = new GroupCommit({ journal, now: () => 1 });
    const acknowledged: [seq: number, text: string][] = [];
    const write = async (writer: number) => {
      for (let index = 0; index < 150; index++) {
        const text = `${writer}-${index}`;
        const { firstSeq } = await commits.push([record(text)]);
        acknowledged.push([firstSeq, text]);
      }
    };
    const writing = Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)));
    for (const share of [200, 600]) {
      await waitFor('enough was written', () => acknowledged.length > share, { pollMs: 1 });
      const { pid } = server;
      process.kill(pid, 'SIGKILL');
      await waitFor('the server is there again', () => server.pid !== pid);
    }
    await writing;
    const found = await textsOf(journal);
    expect(found).toHaveLength(8 * 150);
    for (const [seq, text] of acknowledged) expect(found[seq - 1]).toBe(text);
    await commits.close();
    await journal.close();
  });
});
