// Values on their way into a real server and back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatArray, parseArray } from '../../src/store/array-text.ts';
import type { Store } from '../../src/store/open.ts';
import { openEmptyStore } from './worker-database.ts';

const UINT256_MAX = 2n ** 256n - 1n;

describe('A value in the database', () => {
  let database: Store;

  beforeAll(async () => {
    database = await openEmptyStore();
  });

  afterAll(() => database.close());

  it('comes back exactly when it is an integer, and as its text when it has a fraction', async () => {
    const { sql } = database;
    const [row] = await sql`
      select 7::int4 as small, 9007199254740993::int8 as large, ${sql.typed.numeric(UINT256_MAX)} as huge,
             -0::numeric as zero, 0.10::numeric(8, 2) as fraction, sum(n) as total, ${-5n} as bare
      from unnest(array[9223372036854775807, 1]::int8[]) as n`;
    expect(row).toEqual({
      small: 7,
      large: 9007199254740993n,
      huge: UINT256_MAX,
      zero: 0n,
      fraction: '0.10',
      total: 2n ** 63n,
      bare: -5n,
    });
  });

  it('goes in and out in lists of every kind, with gaps and awkward text', async () => {
    const { sql } = database;
    const lists = {
      int4s: [1, null, -2],
      int8s: [0n, 2n ** 63n - 1n],
      numerics: [UINT256_MAX, '0.50', null],
      floats: [0.1, -1e300],
      texts: ['', 'NULL', 'a,b', '{"x"}', 'back\\slash', 'two\nlines', 'ünï', null],
      booleans: [true, false],
      byteas: [Buffer.from([0, 255]), Buffer.alloc(0)],
      timestamps: [new Date('2026-01-02T03:04:05.678Z')],
      jsons: [{ a: [1, '"'] }, 'text', 1.5],
    };
    const [row] = await sql`
      select ${sql.typed.int4s(lists.int4s)} as int4s, ${sql.typed.int8s(lists.int8s)} as int8s,
             ${sql.typed.numerics(lists.numerics)} as numerics, ${sql.typed.floats(lists.floats)} as floats,
             ${sql.typed.texts(lists.texts)} as texts, ${sql.typed.booleans(lists.booleans)} as booleans,
             ${sql.typed.byteas(lists.byteas)} as byteas, ${sql.typed.timestamps(lists.timestamps)} as timestamps,
             ${sql.typed.jsons(lists.jsons)} as jsons, array[]::text[] as none`;
    expect(row).toEqual({ ...lists, none: [] });
  });

  it('goes in by batches through unnest, bare lists by the cast beside them', async () => {
    const { sql } = database;
    await sql`create table batch (id int8 primary key, amount numeric(78, 0) not null, name text not null)`;
    await sql`
      insert into batch
      select * from unnest(${sql.typed.int8s([1n, 2n ** 62n])}, ${['0', String(UINT256_MAX)]}::numeric[], ${['a', 'b']}::text[])`;
    expect(await sql`select * from batch order by id`).toEqual([
      { id: 1n, amount: 0n, name: 'a' },
      { id: 2n ** 62n, amount: UINT256_MAX, name: 'b' },
    ]);
    expect(await sql`select name from batch where id = any(${sql.typed.int8s([1n])})`).toEqual([{ name: 'a' }]);
  });
});

describe('The text of an array', () => {
  it('is read as it was written', () => {
    const items = ['', 'NULL', 'null', ' ', ',', '{}', '"', '\\', '\\"', null, 'plain'];
    expect(parseArray(formatArray(items))).toEqual(items);
    expect(parseArray('{}')).toEqual([]);
    expect(parseArray('{1,NULL,"a b"}')).toEqual(['1', null, 'a b']);
  });

  it('is refused when it has more than one dimension', () => {
    expect(() => parseArray('{{1},{2}}')).toThrow('not a plain array');
  });
});
