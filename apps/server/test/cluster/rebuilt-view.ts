// Builds the view of a shared journal anew, beside the one that a cluster has kept, and compares every table of the two.
import { FollowedJournal, PostgresFrames } from '@presage/journal';
import { marketPartitionName } from '@presage/protocol';
import { type PostgresPair, waitFor } from '@presage/testkit';
import { expect } from 'vitest';
import { FollowedPartition } from '../../src/cluster/followed-partition.ts';
import { ViewProjector } from '../../src/projections/view-projector.ts';
import type { Sql } from '../../src/store/column-types.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';
import { openStore } from '../../src/store/open.ts';
import { loadViewSchema } from '../../src/store/schema.ts';

const onFatal = (error: unknown) => {
  throw error;
};

/** Nothing may be written meanwhile. */
export async function expectRebuiltAlike(pair: PostgresPair, partitions: number): Promise<void> {
  const at = (name: string) => pair.primary.url.replace(/\/\w+$/, `/${name}`);
  await pair.primary.query('create database rebuilt');
  const { database, close } = await openJournalDatabase(pair.url);
  const owners = {
    openFollowed: (partition: string) => FollowedJournal.open(new PostgresFrames({ database, partition })),
    ask: () => onFatal('nothing is asked for'),
    watch: () => () => undefined,
    isHeard: () => false,
  };
  const open = (name: string) => openStore({ databaseUrl: at(name), dataDir: '' });
  const [live, rebuilt] = [await open('view'), await open('rebuilt')];
  try {
    const follow = (_: unknown, index: number) =>
      FollowedPartition.open({ partition: marketPartitionName(index), owners, onFatal });
    const followed = await Promise.all(Array.from({ length: partitions }, follow));
    const sources = followed.map(({ log }) => log);
    const projector = new ViewProjector({ sources, sql: rebuilt.sql, schema: loadViewSchema() });
    await projector.start();
    await projector.close();
    const target = JSON.stringify(await cursors(rebuilt.sql));
    await waitFor('the shared view is as far', async () => JSON.stringify(await cursors(live.sql)) === target);
    expect(await digests(live.sql)).toEqual(await digests(rebuilt.sql));
  } finally {
    await Promise.all([live.close(), rebuilt.close(), close()]);
  }
}

async function cursors(sql: Sql): Promise<string[]> {
  const rows = await sql`select partition, cursor::text as cursor from presage_view.meta order by partition`;
  return rows.map((row) => `${row.partition} ${row.cursor}`);
}

/** Keyframes stand where transactions ended, which differs from one building to the next; what they shorten is in the other tables. */
async function digests(sql: Sql): Promise<Record<string, unknown>> {
  const tables = loadViewSchema().tables.filter((table) => !table.endsWith('_keyframes'));
  const found: Record<string, unknown> = {};
  for (const table of tables) {
    const [row] = await sql.unsafe(
      `select count(*)::int as rows, md5(string_agg(md5(t::text), '' order by md5(t::text))) as digest from presage_view.${table} t`,
    );
    found[table] = { ...row };
  }
  return found;
}
