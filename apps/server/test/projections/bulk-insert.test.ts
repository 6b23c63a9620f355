// Rows arrive the same whether they are unnested or copied, for every type of column there is.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BulkTransaction } from '../../src/projections/bulk-transaction.ts';
import {
  amount,
  bytes,
  decimal,
  exact,
  flag,
  integer,
  orNull,
  type RowOf,
  text,
} from '../../src/projections/columns.ts';
import { Table } from '../../src/projections/table.ts';
import type { Store } from '../../src/store/open.ts';
import { openEmptyStore } from '../store/worker-database.ts';

const TABLE = new Table('every_type', {
  id: integer(),
  small: integer('smallint'),
  medium: integer('integer'),
  large: orNull(integer()),
  amount: amount(),
  exact: orNull(exact()),
  decimal: decimal(),
  flag: orNull(flag()),
  hash: orNull(bytes()),
  word: orNull(text()),
});
type Row = RowOf<typeof TABLE.columns>;

const INSERT = TABLE.insert();
const LOAD = TABLE.load('id');

const SMALL = [0, 1, -1, 32_767, -32_768];
const MEDIUM = [0, -1, 2_147_483_647, -2_147_483_648];
const LARGE = [null, 0, -1, 2 ** 32, -(2 ** 32), 2 ** 32 - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
const AMOUNTS = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)];
const EXACT = [null, 0n, 9_999n, 10_000n, -10_000n, 100_000_000n, 10n ** 40n, 1n - 10n ** 16n, 2n ** 256n - 1n];
const WORDS = [
  null,
  '',
  'open',
  'a "quoted" \\ {word}, null',
  'NULL',
  'Größe 😀',
  'a\0b',
  '\t\n\r',
  'x'.repeat(200_000),
];
const HASHES = [null, '0x', `0x${'00'.repeat(20)}`, `0x${'ff'.repeat(32)}`] as const;

function drawRow(random: SeededRandom, id: number): Row {
  const digits = random.int(1, 30);
  return {
    id,
    small: random.pick(SMALL),
    medium: random.pick(MEDIUM),
    large: random.pick(LARGE),
    amount: random.pick(AMOUNTS),
    exact: random.pick(EXACT),
    decimal: `${random.pick(['', '-'])}${random.int(1, 10)}${'0'.repeat(digits)}`,
    flag: random.pick([null, true, false]),
    hash: random.pick([...HASHES, random.hex(32)]),
    word: random.pick(id % 50 === 0 ? WORDS : WORDS.slice(0, -1)),
  };
}

describe('the rows of a table', () => {
  let store: Store;

  beforeAll(async () => {
    store = await openEmptyStore();
    await store.sql.unsafe(`create schema presage_view; create table presage_view.every_type (id bigint primary key,
      small smallint not null, medium integer not null, large bigint, amount bigint not null, exact numeric,
      decimal numeric(78) not null, flag boolean, hash bytea, word text)`);
  });

  afterAll(() => store.close());

  it.each([
    ['a few, which are unnested', 0, 30],
    ['many, which are copied', 1_000, 2_000],
  ])('are read as they were written: %s', async (_what, firstId, count) => {
    const random = new SeededRandom(seedFromEnv(70));
    const rows = Array.from({ length: count }, (_, index) => drawRow(random, firstId + index));
    const found = await store.sql.begin(async (sql) => {
      const bulk = new BulkTransaction(sql);
      await INSERT.run(bulk, rows);
      return LOAD.runEach(
        bulk,
        rows.map(({ id }) => id),
      );
    });
    const expected = rows.map((row) => ({ ...row, word: row.word?.replaceAll('\0', '\ufffd') ?? null }));
    expect([...(found as Row[])].sort((a, b) => a.id - b.id)).toEqual(expected);
  });
});
