// Conversion of values between PostgreSQL and JavaScript: numbers exactly, lists without queries to the server.
import postgres from 'postgres';

/*
 * int8 is always read as bigint: a type that depends on the value would break the first reader past 2^53. numeric is
 * read as bigint if it has no decimal point, which a `numeric(78, 0)` never has, and otherwise as its exact text. int2,
 * int4 and float8 are read as numbers.
 *
 * A bare bigint is sent as int8; larger values (token ids, amounts of uint256) are sent as `sql.typed.numeric(value)`.
 * Lists are sent by the name of their type: `any(${sql.typed.byteas(ids)})`.
 *
 * List types are declared here rather than fetched by the client on each connection: a connection lost while fetching
 * would end the process (postgres 3.4.9, issue 1223 of porsager/postgres).
 */
export const COLUMN_TYPES = {
  int8: postgres.BigInt,
  numeric: {
    to: 1700,
    from: [1700],
    serialize: (value: bigint | string) => value.toString(),
    parse: (text: string): bigint | string => (/^-?\d+$/.test(text) ? BigInt(text) : text),
  },
  int4s: listOf(1007, String, Number),
  byteas: listOf(
    1001,
    (value: Uint8Array) => `\\x${Buffer.from(value).toString('hex')}`,
    (text): Uint8Array => Buffer.from(text.slice(2), 'hex'),
  ),
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

/** PostgreSQL's text form of a one-dimensional array. */
export function formatArray(items: readonly (string | null)[]): string {
  return `{${items.map((item) => (item === null ? 'NULL' : `"${item.replace(/["\\]/g, '\\$&')}"`)).join(',')}}`;
}

/** An item is quoted, with backslashes before quotes and backslashes inside, or runs to the next comma. */
const ITEM = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs;

/** Throws on arrays of more dimensions, which the store does not use. */
export function parseArray(text: string): (string | null)[] {
  const body = text.slice(1, -1);
  if (text[0] !== '{' || text.at(-1) !== '}' || body.startsWith('{')) throw new Error(`not a plain array: ${text}`);
  return Array.from(body.matchAll(ITEM), ([, quoted, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1');
    return bare === 'NULL' || bare === undefined ? null : bare;
  });
}

/** JavaScript types by name of the column type. */
export type ColumnValues = {
  [Name in keyof typeof COLUMN_TYPES]: Parameters<(typeof COLUMN_TYPES)[Name]['serialize']>[0];
};

/** The part of the client that the service uses; the rest is unsafe when the server is lost (connection-pool.ts). */
export type Sql = postgres.ISql<ColumnValues> & Pick<postgres.Sql<ColumnValues>, 'begin'>;

export type TransactionSql = postgres.TransactionSql<ColumnValues>;
