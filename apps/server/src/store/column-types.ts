// How numbers cross between PostgreSQL and JavaScript: always exactly.
import postgres from 'postgres';

/**
 * int8 comes back as bigint, always: a type that depended on the size of the value would break the first reader past 2^53.
 * numeric comes back as bigint when it has no decimal point, which a `numeric(78, 0)` never has, and as its own exact text
 * otherwise. int2, int4 and float8 stay numbers.
 *
 * Going in, a bare bigint is declared as int8. What may exceed it (token ids, amounts of uint256) goes in as
 * `sql.typed.numeric(value)`, and lists of them as text: `unnest(${values.map(String)}::numeric[])`.
 */
export const COLUMN_TYPES = {
  bigint: postgres.BigInt,
  numeric: {
    to: 1700,
    from: [1700],
    serialize: (value: bigint | string) => value.toString(),
    parse: (text: string): bigint | string => (/^-?\d+$/.test(text) ? BigInt(text) : text),
  },
};

export type Sql = postgres.Sql<{ bigint: bigint; numeric: bigint | string }>;
