// One SQL statement for many rows: each column travels as one array and is unnested by the database.
import type { Row as FoundRow } from 'postgres';
import type { TransactionSql } from '../store/column-types.ts';

/** A column's PostgreSQL type and how its values are written in an array literal. */
export interface Column<Row> {
  readonly type: string;
  readonly write: (row: Row) => string;
}

type Maybe<T> = T | null | undefined;

export function integer<Row>(read: (row: Row) => Maybe<number | bigint>): Column<Row> {
  return { type: 'bigint', write: (row) => plain(read(row)) };
}

export function exact<Row>(read: (row: Row) => Maybe<bigint | string>): Column<Row> {
  return { type: 'numeric', write: (row) => plain(read(row)) };
}

export function flag<Row>(read: (row: Row) => Maybe<boolean>): Column<Row> {
  return { type: 'boolean', write: (row) => plain(read(row)) };
}

/** From `0x` and hex digits. */
export function bytes<Row>(read: (row: Row) => Maybe<string>): Column<Row> {
  return { type: 'bytea', write: (row) => quotedBytes(read(row)) };
}

export function text<Row>(read: (row: Row) => Maybe<string>): Column<Row> {
  return { type: 'text', write: (row) => quotedText(read(row)) };
}

function plain(value: Maybe<number | bigint | string | boolean>): string {
  return value === null || value === undefined ? 'null' : String(value);
}

function quotedBytes(hex: Maybe<string>): string {
  return hex === null || hex === undefined ? 'null' : `"\\\\x${hex.slice(2)}"`;
}

/** PostgreSQL text holds every character but NUL, and a market's question must not stop the view. */
function quotedText(value: Maybe<string>): string {
  if (value === null || value === undefined) return 'null';
  return `"${value.replaceAll('\0', '\ufffd').replace(/["\\]/g, '\\$&')}"`;
}

export class BulkStatement<Row> {
  readonly #columns: readonly Column<Row>[];
  readonly #statement: string;
  readonly columnNames: readonly string[];

  /** `build` gets the rows as a source named `given`, and the names of its columns. */
  constructor(columns: Readonly<Record<string, Column<Row>>>, build: (source: string, names: string) => string) {
    this.#columns = Object.values(columns);
    this.columnNames = Object.keys(columns);
    const names = this.columnNames.join(', ');
    const arrays = this.#columns.map(({ type }, index) => `$${index + 1}::text::${type}[]`).join(', ');
    this.#statement = build(`unnest(${arrays}) as given(${names})`, names);
  }

  async run<Found extends object = FoundRow>(
    sql: Pick<TransactionSql, 'unsafe'>,
    rows: readonly Row[],
  ): Promise<Found[]> {
    if (rows.length === 0) return [];
    const arrays = this.#columns.map(({ write }) => `{${rows.map(write).join(',')}}`);
    return sql.unsafe<Found[]>(this.#statement, arrays, { prepare: true });
  }
}

/** The columns of a select, in the order of the row's type: a column that the type lacks, or the other way round, does not compile. */
export function selectList<Loaded extends object>(columns: { readonly [Name in keyof Loaded]-?: string }): string {
  return Object.entries<string>(columns)
    .map(([name, expression]) => `${expression} as ${name}`)
    .join(', ');
}

export function insertInto<Row>(table: string, columns: Readonly<Record<string, Column<Row>>>, onConflict = '') {
  return new BulkStatement(
    columns,
    (source, names) => `insert into presage_view.${table} (${names}) select ${names} from ${source} ${onConflict}`,
  );
}
