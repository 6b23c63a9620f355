// How values cross between PostgreSQL and JavaScript: numbers always exactly, lists without asking the server.
import postgres from 'postgres';
import { formatArray, parseArray } from './array-text.ts';

/*
 * int8 comes back as bigint, always: a type that depended on the size of the value would break the first reader past 2^53.
 * numeric comes back as bigint when it has no decimal point, which a `numeric(78, 0)` never has, and as its own exact text
 * otherwise. int2, int4 and float8 stay numbers.
 *
 * Going in, a bare bigint is declared as int8; what may exceed it (token ids, amounts of uint256) goes in as
 * `sql.typed.numeric(value)`. Lists go in by the name of their type: `unnest(${sql.typed.int8s(ids)}, ${sql.typed.texts(names)})`.
 *
 * The lists are known here rather than fetched by the client on each connection: a connection lost while fetching would end
 * the process (postgres 3.4.9, issue 1223 of porsager/postgres).
 */
const int8 = postgres.BigInt;

const numeric = {
  to: 1700,
  from: [1700],
  serialize: (value: bigint | string) => value.toString(),
  parse: (text: string): bigint | string => (/^-?\d+$/.test(text) ? BigInt(text) : text),
};

export const COLUMN_TYPES = {
  int8,
  numeric,
  int4s: listOf(1007, String, Number),
  int8s: listOf(1016, (value: bigint | number) => String(value), BigInt),
  numerics: listOf(1231, numeric.serialize, numeric.parse),
  floats: listOf(1022, String, Number),
  texts: listOf(
    1009,
    (value: string) => value,
    (text) => text,
  ),
  booleans: listOf(1000, String, (text) => text === 't'),
  byteas: listOf(
    1001,
    (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`,
    (text): Uint8Array => Buffer.from(text.slice(2), 'hex'),
  ),
  timestamps: listOf(
    1185,
    (value: Date) => value.toISOString(),
    (text) => new Date(text),
  ),
  jsons: listOf(3807, (value: unknown) => JSON.stringify(value), JSON.parse),
};

function listOf<In, Out extends In>(oid: number, toText: (value: In) => string, fromText: (text: string) => Out) {
  return {
    to: oid,
    from: [oid],
    serialize: (values: readonly (In | null)[]) =>
      formatArray(values.map((value) => (value === null ? null : toText(value)))),
    parse: (text: string): readonly (In | null)[] =>
      parseArray(text).map((item) => (item === null ? null : fromText(item))),
  };
}

/** Of JavaScript, by name of the column type. */
export type ColumnValues = {
  [Name in keyof typeof COLUMN_TYPES]: Parameters<(typeof COLUMN_TYPES)[Name]['serialize']>[0];
};

/** What the service uses of the client; the rest is not safe when the server is lost (connection-pool.ts). */
export type Sql = postgres.ISql<ColumnValues> & Pick<postgres.Sql<ColumnValues>, 'begin'>;

export type TransactionSql = postgres.TransactionSql<ColumnValues>;
