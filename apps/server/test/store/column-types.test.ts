// Values on their way into a real server and back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatArray, parseArray } from '../../src/store/column-types.ts';
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

  it('goes in and out in lists with gaps', async () => {
    const { sql } = database;
    const lists = {
      int4s: [1, null, -2],
      byteas: [Buffer.from([0, 255]), Buffer.alloc(0)],
    };
    const [row] =
      await sql`select ${sql.typed.int4s(lists.int4s)} as int4s, ${sql.typed.byteas(lists.byteas)} as byteas,
      array[]::integer[] as none`;
    expect(row).toEqual({ ...lists, none: [] });
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
