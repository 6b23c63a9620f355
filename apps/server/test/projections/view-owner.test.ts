// Which journal a database belongs to: a view of another journal is never dropped, one that is ahead is waited for.
import { FollowedJournal, PostgresFrames, PostgresJournal } from '@presage/journal';
import type { JournalRecord } from '@presage/protocol';
import { MemoryStorage, seedFromEnv, waitFor } from '@presage/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { FollowedPartition } from '../../src/cluster/followed-partition.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { AuditLog } from '../../src/projections/audit/audit-log.ts';
import { SharedView } from '../../src/projections/shared-view.ts';
import { ViewOwner, type ViewOwnerOptions } from '../../src/projections/view-owner.ts';
import { ViewForeign, ViewInUse } from '../../src/projections/view-refusals.ts';
import { ViewTables } from '../../src/projections/view-tables.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { openJournalDatabase, openStore, type Store } from '../../src/store/open.ts';
import { loadViewSchema } from '../../src/store/schema.ts';
import { PlayedHistory } from './played-history.ts';
import { expectSameView } from './same-view.ts';
import { appendAll, ViewFixture } from './view-fixture.ts';

const SEED = seedFromEnv(60);
const ORDERS = 80;

const fixture = new ViewFixture();
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  await fixture.close();
});

interface Service {
  readonly played: PlayedHistory;
  readonly log: PartitionLog;
  readonly store: Store;
  readonly reasons: string[];
  readonly troubles: unknown[];
  openView(options?: Partial<ViewOwnerOptions>): ReturnType<ViewFixture['openViewProjector']>;
}

/** As a service with a journal in files does it: connections of its own, and a look at who else is connected. */
function createService(store: Store, log: PartitionLog, seed: number): Service {
  const reasons: string[] = [];
  const troubles: unknown[] = [];
  const openView = (options: Partial<ViewOwnerOptions> = {}) => {
    const { sql, hasOthers } = store;
    const owner = new ViewOwner({ sql, sources: [log], hasOthers, ...options });
    return fixture.openViewProjector({
      sources: [log],
      sql,
      owner,
      onRebuild: (reason) => reasons.push(reason),
      onTrouble: (error) => troubles.push(error),
    });
  };
  return { played: new PlayedHistory({ seed, orders: ORDERS }), log, store, reasons, troubles, openView };
}

/** The database shows the history of this service. */
interface SharedParts {
  readonly log: PartitionLog;
  readonly sql: Store['sql'];
  readonly address: string;
  /** Gets why it is in trouble, or builds the view again. */
  readonly reasons: string[];
}

/** A node of several that share the view. */
function openShared({ log, sql, address, reasons }: SharedParts): SharedView {
  const node = new SharedView({
    sources: [log],
    sql,
    schema: loadViewSchema(),
    address,
    leaseMs: 1_000,
    moveOn: () => undefined,
    onTrouble: (error) => reasons.push(String(error)),
    onLeading: () => undefined,
    onRebuild: (reason) => reasons.push(reason),
  });
  closers.push(() => node.close());
  return node;
}

async function openFirst(storage = new MemoryStorage('m0')) {
  const service = createService(await fixture.openStore(), await fixture.openLog(storage), SEED);
  // Several frames, so that a copy may end before the last.
  for (let n = 0; n < 4; n++) await appendAll(service.log, service.played.play(ORDERS / 2));
  const view = service.openView();
  await view.start();
  return { ...service, storage, view };
}

/** Another service on the database of the first. */
async function openSecond({ store: { url } }: Pick<Service, 'store'>, log: PartitionLog, seed: number) {
  const store = await openStore({ databaseUrl: url, dataDir: '' });
  closers.push(() => store.close());
  return createService(store, log, seed);
}

/** What a copy of the storage leads to. */
function copyOf({ frames }: MemoryStorage, count = frames.length): MemoryStorage {
  const copy = new MemoryStorage('m0');
  copy.frames.push(...frames.slice(0, count));
  return copy;
}

describe('a view of another journal', () => {
  it.each([
    ['that is longer', ORDERS],
    ['that is empty', 0],
  ])('is refused by a service with a journal %s, and left as it is', async (_which, orders) => {
    const first = await openFirst();
    await first.view.close();
    const second = await openSecond(first, await fixture.openLog(), SEED + 1);
    await appendAll(second.log, second.played.play(orders));
    const refusal = await second
      .openView()
      .start()
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ViewForeign);
    expect(String(refusal)).toContain('drop schema if exists presage_view, presage_audit cascade;');
    expect(second.reasons).toEqual([]);
    await expectSameView(first.store.sql, first.played);
    await first.openView().start();
    expect(first.reasons).toEqual(['the database is empty']);
  });

  it('is replaced in a database that is part of the data folder', async () => {
    const first = await openFirst();
    await first.view.close();
    const second = await openSecond(first, await fixture.openLog(), SEED + 1);
    await appendAll(second.log, second.played.play());
    await second.openView({ isPrivate: true, hasOthers: undefined }).start();
    expect(second.reasons).toEqual(['the database is of another journal in m0']);
    await expectSameView(second.store.sql, second.played);
  });

  it('is the one of the service that writes first, when two start at the same moment on an empty database', async () => {
    const one = createService(await fixture.openStore(), await fixture.openLog(), SEED);
    const services = [one, await openSecond(one, await fixture.openLog(), SEED + 1)];
    const views = services.map((service) => service.openView());
    await Promise.all(views.map((view) => view.start()));
    await Promise.all(services.map(({ log, played }) => appendAll(log, played.play())));
    const loser = await waitFor('one of them is told', () => {
      const index = services.findIndex(({ troubles }) => troubles.some((error) => error instanceof ViewForeign));
      return index >= 0 ? index : undefined;
    });
    const winner = services[1 - loser]!;
    expect(await views[1 - loser]!.waitFor([winner.log.lastSeq], 60_000)).toBe(true);
    expect(await views[loser]!.waitFor([1], 0)).toBe(false);
    await expectSameView(winner.store.sql, winner.played);
    expect(winner.troubles).toEqual([]);
  });

  it('gets its indexes once, when two services build them at the same moment', async () => {
    const first = await openFirst();
    const { store } = await openSecond(first, first.log, SEED);
    const schema = loadViewSchema();
    const indexes = schema.readerIndexes.map(({ name }) => `presage_view.${name}`);
    await store.sql.unsafe(`drop index ${indexes.join(', ')}`);
    const tables = [first.store.sql, store.sql].map((sql) => {
      const sources = [first.log];
      return new ViewTables({ sql, schema, sources, owner: new ViewOwner({ sql, sources }), onRebuild: expect.fail });
    });
    await Promise.all(tables.map((one) => one.complete(0)));
    const built = await store.sql`select indexname from pg_indexes where schemaname = 'presage_view'`;
    expect(built.map(({ indexname }) => `presage_view.${indexname}`)).toEqual(expect.arrayContaining(indexes));
  });

  it('is not dropped by the running service that it was taken from while its owner is connected, and is afterwards', async () => {
    const first = await openFirst();
    const other = await openStore({ databaseUrl: first.store.url, dataDir: '' });
    await other.sql`update presage_view.meta set identity = 'another'`;
    await waitFor('it is told', () => first.troubles.some((error) => error instanceof ViewForeign));
    expect(first.view.cursors).toEqual([0]);
    expect(first.reasons).toHaveLength(1);
    await other.close();
    expect(await first.view.waitFor([first.log.lastSeq], 60_000)).toBe(true);
    expect(first.reasons.slice(1)).toEqual(['the database is of another journal in m0']);
    await expectSameView(first.store.sql, first.played);
  });
});

describe('a view of a copy of the journal', () => {
  it.each([
    ['was restored from an older backup', 0],
    ['went another way', ORDERS],
  ])(
    'is left to the service that is connected when the copy %s, and rebuilt when that one is gone',
    async (which, more) => {
      const first = await openFirst();
      const { frames } = first.storage;
      const copied = await fixture.openLog(copyOf(first.storage, frames.length - 1));
      const second = await openSecond(first, copied, SEED);
      const known = copied.lastSeq;
      if (more > 0) await appendAll(copied, new PlayedHistory({ seed: SEED + 1, orders: more }).play());
      await expect(second.openView({ patienceMs: 300 }).start()).rejects.toThrow(ViewInUse);
      await expectSameView(first.store.sql, first.played);
      await first.view.close();
      await second.openView({ hasOthers: async () => false }).start();
      const expected =
        more > 0
          ? `the journal has another record ${first.log.lastSeq} in m0`
          : `the database is at ${first.log.lastSeq} of m0, the journal ends at ${known}`;
      expect(second.reasons, which).toEqual([expected]);
    },
  );
});

describe('a view of nodes whose journal was restored from a backup', () => {
  it.each([
    ['ends before it', 0, /^the database is at \d+ of m0, the journal ends at \d+$/],
    ['went another way since', ORDERS, /^the journal has another record \d+ in m0$/],
  ])('is rebuilt by one of them when the journal %s', async (_which, more, reason) => {
    const first = await openFirst();
    await first.view.close();
    const restored = await fixture.openLog(copyOf(first.storage, first.storage.frames.length - 1));
    const { sql } = first.store;
    if (more > 0) await appendAll(restored, new PlayedHistory({ seed: SEED + 1, orders: more }).play());
    const reasons: string[] = [];
    const open = (address: string) => openShared({ log: restored, sql, address, reasons });
    const nodes = ['one', 'two'].map(open);
    await Promise.all(nodes.map((node) => node.start()));
    const isShown = () => nodes.every(({ cursors }) => cursors[0] === restored.lastSeq);
    await waitFor('both show what the journal says', isShown);
    expect(reasons[0]).toMatch(reason);
    expect(nodes.filter(({ isLeading }) => isLeading)).toHaveLength(1);
  });
});

describe('a view that is ahead of what this node has followed', () => {
  it.each([
    ['a part', 1],
    ['nothing', 0],
  ])(
    'is waited for by a node that has followed %s of the journal and is the only one that could write it',
    async (_what, known) => {
      const [journalStore, { sql }] = [await fixture.openStore(), await fixture.openStore()];
      const { database, close } = await openJournalDatabase(journalStore.url);
      closers.push(close);
      const journal = await PostgresJournal.open({ database, partition: 'm0', address: 'an engine', leaseMs: 60_000 });
      const log = await PartitionLog.open({ journal, nowMs: () => 0, onFatal });
      const played = new PlayedHistory({ seed: SEED, orders: ORDERS });
      await appendAll(log, played.play(known));
      const owners = {
        openFollowed: (partition: string) => FollowedJournal.open(new PostgresFrames({ database, partition })),
        ask: () => onFatal('asked'),
        watch: () => () => undefined,
        isHeard: () => false,
      };
      // Not started: it stays where the journal ended when it was opened.
      const followed = await FollowedPartition.open({ partition: 'm0', owners, onFatal });
      closers.push(async () => followed.close());
      await appendAll(log, played.play());
      const writer = fixture.openViewProjector({ sources: [log], sql });
      await writer.start();
      await writer.close();
      const reasons: string[] = [];
      const settler = openShared({ log: followed.log, sql, address: 'a settler', reasons });
      const starting = settler.start();
      await waitFor('it has looked at the view', () => settler.isUp);
      expect(await sql`select tablename from pg_tables where schemaname = 'presage_projector'`).toEqual([]);
      followed.start();
      await starting;
      await waitFor('it writes the view', () => settler.isLeading);
      expect(await settler.waitFor([log.lastSeq], 60_000)).toBe(true);
      expect(reasons).toEqual([]);
      await expectSameView(sql, played);
    },
  );
});

function onFatal(error: unknown): never {
  throw error;
}

describe('an audit log', () => {
  const acted = (reason: string): JournalRecord => ({
    type: 'operator-acted',
    timeMs: 1,
    actor: 'op_ann',
    reason,
    action: { kind: 'halt-trading', isHalted: true },
  });

  function openLog(sql: Sql, source: PartitionLog) {
    const troubles: unknown[] = [];
    const reasons: string[] = [];
    const audit = new AuditLog({
      sql,
      source,
      owner: new ViewOwner({ sql, sources: [source] }),
      onTrouble: (error) => troubles.push(error),
      onRebuild: (reason) => reasons.push(reason),
    });
    closers.push(() => audit.close());
    const reasonsOf = async () => (await audit.list({ limit: 10 })).map(({ reason }) => reason);
    return { audit, troubles, reasons, reasonsOf };
  }

  it('is refused to another journal', async () => {
    const { sql } = await fixture.openStore();
    const control = await fixture.openLog(new MemoryStorage('control'));
    const first = openLog(sql, control);
    await first.audit.start();
    await control.append([acted('one')]);
    expect(await first.reasonsOf()).toEqual(['one']);
    const other = await fixture.openLog(new MemoryStorage('control'));
    await other.append([acted('of another service')]);
    await expect(openLog(sql, other).audit.start()).rejects.toThrow(ViewForeign);
    expect(await first.reasonsOf()).toEqual(['one']);
  });

  it('is whole again after its tables were replaced under the service, before the next action and after it', async () => {
    const { sql } = await fixture.openStore();
    const control = await fixture.openLog(new MemoryStorage('control'));
    const { audit, reasons, reasonsOf } = openLog(sql, control);
    await audit.start();
    await control.append([acted('one')]);
    expect(await reasonsOf()).toEqual(['one']);
    // As an earlier version did with tables of another journal.
    await sql`delete from presage_audit.actions`;
    await sql`update presage_audit.meta set cursor = 0`;
    await control.append([acted('two')]);
    const rows = await waitFor('both are shown', async () => {
      const shown = await reasonsOf().catch(() => []);
      return shown.length === 2 && shown;
    });
    expect(rows).toEqual(['two', 'one']);
    await sql`drop schema presage_audit cascade`;
    await waitFor('it is built again', () => reasons.length === 2);
    expect(await waitFor('it can be read', () => reasonsOf().catch(() => undefined))).toEqual(rows);
  });

  it('needs the records behind its place in the database: a start reads them again', async () => {
    const { sql } = await fixture.openStore();
    const control = await fixture.openLog(new MemoryStorage('control'));
    const { audit, reasonsOf } = openLog(sql, control);
    await audit.start();
    await control.append([acted('one')]);
    expect(await reasonsOf()).toEqual(['one']);
    await control.append([{ type: 'token-used', timeMs: 1, keyId: 'op_ann', nonce: '0'.repeat(32), issuedAt: 1 }]);
    expect(await reasonsOf()).toEqual(['one']);
    const [saved] = await sql`select cursor::int from presage_audit.meta`;
    expect(audit.neededFromSeq()).toBe(saved?.cursor + 1);
  });

  it('says that its database is away', async () => {
    const { url } = await fixture.openStore();
    const store = await openStore({ databaseUrl: url, dataDir: '' });
    const control = await fixture.openLog(new MemoryStorage('control'));
    const { audit, reasonsOf } = openLog(store.sql, control);
    await audit.start();
    await control.append([acted('one')]);
    expect(await reasonsOf()).toEqual(['one']);
    await store.close();
    await expect(reasonsOf()).rejects.toMatchObject({ code: 'database_unavailable' });
  });
});
