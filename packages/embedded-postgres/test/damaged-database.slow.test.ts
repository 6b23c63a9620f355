// Bits flipped in the files of the embedded database: what it then reads is what was written, or an error, never something else.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { expect, it } from 'vitest';
import { EmbeddedPostgres } from '../src/embedded-postgres.ts';
import { connect, makeDataDir } from './fixtures.ts';

const TABLES = isLongRun ? 40 : 12;
const ROUNDS = isLongRun ? 25 : 1;
const ROWS = 200;
const random = new SeededRandom(seedFromEnv(20_261_115));
const tables = Array.from({ length: TABLES }, (_, index) => `damaged_${index}`);

it(`notices or outlives ${TABLES * ROUNDS} flipped bits`, async () => {
  const dataDir = await makeDataDir();
  const cluster = join(dataDir, 'database', 'work', 'cluster');
  let server = await EmbeddedPostgres.open({ dataDir });
  const sql = connect(server.url);
  const files = new Map<string, string>();
  for (const table of tables) {
    await sql.unsafe(`create table ${table} as select n, md5(n::text) as text from generate_series(1, ${ROWS}) as n`);
    const [row] = await sql.unsafe<{ path: string }[]>(`select pg_relation_filepath('${table}') as path`);
    files.set(table, join(cluster, row!.path));
  }
  const expected = await sql.unsafe(`select * from ${tables[0]} order by n`);
  await server.close();
  const whole = new Map(
    await Promise.all([...files].map(async ([table, path]) => [table, await readFile(path)] as const)),
  );
  let noticed = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [table, path] of files) {
      const damaged = Buffer.from(whole.get(table)!);
      const bit = random.below(damaged.length * 8);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      await writeFile(path, damaged);
    }
    server = await EmbeddedPostgres.open({ dataDir });
    const reader = connect(server.url);
    for (const table of tables) {
      const rows = await reader
        .unsafe(`select * from ${table} order by n`)
        .catch((error: { code: string }) => error.code);
      if (rows === 'XX001' || rows === 'XX002') noticed++;
      else expect(rows, table).toEqual(expected);
    }
    await server.close();
  }
  expect(noticed).toBeGreaterThan(0);
  process.stderr.write(`${TABLES * ROUNDS} flipped bits in the database: ${noticed} noticed, the others harmless\n`);
});
