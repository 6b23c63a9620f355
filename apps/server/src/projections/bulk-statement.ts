// One SQL statement for many rows: each column is one array, which the database unnests; or all rows are copied.
import type { Row as FoundRow } from 'postgres';
import type { BulkTransaction } from './bulk-transaction.ts';
import { type Columns, columnNameOf, type RowOf, type ValueOf } from './columns.ts';
import { CopyBytes } from './copy-bytes.ts';

/** Columns as a query returns them, from one table or several. */
export class Selection<C extends Columns> {
  readonly columns: C;
  readonly #entries: readonly [property: string, name: string, column: Columns[string]][];

  constructor(columns: C) {
    this.columns = columns;
    this.#entries = Object.entries(columns).map(([property, column]) => [
      property,
      columnNameOf(property, column),
      column,
    ]);
  }

  readonly read = (found: FoundRow): RowOf<C> => {
    const row: Record<string, unknown> = {};
    for (const [property, name, column] of this.#entries) {
      const value: unknown = found[name];
      if (value === undefined) throw new Error(`the query does not select ${name}`);
      row[property] = column.decode(value);
    }
    // Each property was decoded by its own column.
    return row as RowOf<C>;
  };

  /** The select list over a table; bytes as text, since the client would allocate a buffer for each value. */
  list(alias: string): string {
    return this.#entries
      .map(([, name, { type }]) => (type === 'bytea' ? `${alias}.${name}::text as ${name}` : `${alias}.${name}`))
      .join(', ');
  }
}

export class BulkStatement<C extends Columns> {
  readonly #columns: readonly [property: string, encode: (value: unknown) => string][];
  readonly #text: string;
  readonly columnNames: readonly string[];

  /** `build` receives the source of the rows, named `given`, and its column names. */
  constructor(columns: C, build: (source: string, names: string) => string) {
    const entries = Object.entries(columns);
    // A row of `C` has a value of the column's own type in each property.
    this.#columns = entries.map(([property, { encode }]) => [property, encode as (value: unknown) => string]);
    this.columnNames = entries.map(([property, column]) => columnNameOf(property, column));
    const names = this.columnNames.join(', ');
    const arrays = entries.map(([, { type }], index) => `$${index + 1}::text::${type}[]`);
    this.#text = build(`unnest(${arrays.join(', ')}) as given(${names})`, names);
  }

  async run(sql: Pick<BulkTransaction, 'query'>, rows: readonly RowOf<C>[]): Promise<FoundRow[]> {
    if (rows.length === 0) return [];
    const arrays = this.#columns.map(([property, encode]) => {
      const items = rows.map((row) => encode((row as Readonly<Record<string, unknown>>)[property]));
      return `{${items.join(',')}}`;
    });
    return sql.query(this.#text, arrays);
  }

  /** Runs a statement of one column with these values. */
  async runEach(sql: Pick<BulkTransaction, 'query'>, values: readonly ValueOf<C[keyof C]>[]): Promise<FoundRow[]> {
    if (values.length === 0) return [];
    const arrays = this.#columns.map(([, encode]) => `{${values.map(encode).join(',')}}`);
    return sql.query(this.#text, arrays);
  }
}

/** Below this number, the round trip of a COPY costs more than it saves. */
const COPIED_ROWS = 200;
const PART_BYTES = 128 * 1_024;

/** Writes one field of a row. */
interface FieldWriter {
  readonly property: string;
  readonly write: (into: CopyBytes, value: unknown) => void;
}

type BulkSink = Pick<BulkTransaction, 'query' | 'copy'>;

/** Inserts rows: many by binary COPY, which costs the database half as much as unnesting them; a few by unnesting. */
export class BulkInsert<C extends Columns> {
  readonly #few: BulkStatement<C>;
  readonly #copy: string;
  readonly #fields: readonly FieldWriter[];

  constructor(path: string, columns: C, few: BulkStatement<C>) {
    this.#few = few;
    this.#copy = `copy ${path} (${few.columnNames.join(', ')}) from stdin with (format binary)`;
    // A row of `C` has a value of the column's own type in each property.
    this.#fields = Object.entries(columns).map(([property, { write }]) => ({ property, write }) as FieldWriter);
  }

  async run(sql: BulkSink, rows: readonly RowOf<C>[]): Promise<void> {
    if (rows.length < COPIED_ROWS) await this.#few.run(sql, rows);
    else await sql.copy(this.#copy, this.#encode(rows));
  }

  /** Collects rows that do not change once they are added. */
  collect(): CollectedRows<C> {
    return new CollectedRows(this.#few, this.#copy, this.#fields);
  }

  *#encode(rows: readonly Readonly<Record<string, unknown>>[]): Generator<Uint8Array> {
    const bytes = new CopyBytes();
    for (const row of rows) {
      writeRow(bytes, this.#fields, row);
      if (bytes.length >= PART_BYTES) yield bytes.take();
    }
    bytes.end();
    yield bytes.take();
  }
}
/** Encodes new rows as they arrive once there are many, so that few objects live until the end. */
export class CollectedRows<C extends Columns> {
  readonly #statement: BulkStatement<C>;
  readonly #copy: string;
  readonly #fields: readonly FieldWriter[];
  #few: RowOf<C>[] = [];
  #bytes: CopyBytes | undefined;
  readonly #parts: Uint8Array[] = [];

  constructor(statement: BulkStatement<C>, copy: string, fields: readonly FieldWriter[]) {
    this.#statement = statement;
    this.#copy = copy;
    this.#fields = fields;
  }

  add(row: RowOf<C>): void {
    if (this.#bytes !== undefined) {
      this.#write(this.#bytes, row);
      return;
    }
    this.#few.push(row);
    if (this.#few.length < COPIED_ROWS) return;
    this.#bytes = new CopyBytes();
    for (const each of this.#few) this.#write(this.#bytes, each);
    this.#few = [];
  }

  /** Writes the collected rows; nothing can be added afterwards. */
  async run(sql: BulkSink): Promise<void> {
    if (this.#bytes === undefined) {
      await this.#statement.run(sql, this.#few);
      return;
    }
    this.#bytes.end();
    await sql.copy(this.#copy, [...this.#parts, this.#bytes.take()]);
  }

  #write(bytes: CopyBytes, row: RowOf<C>): void {
    writeRow(bytes, this.#fields, row);
    if (bytes.length >= PART_BYTES) this.#parts.push(bytes.take());
  }
}

/** A separate function, so that it is compiled once and not again with every loop around it. */
function writeRow(bytes: CopyBytes, fields: readonly FieldWriter[], row: Readonly<Record<string, unknown>>): void {
  bytes.row(fields.length);
  for (let at = 0; at < fields.length; at++) {
    const { property, write } = fields[at]!;
    write(bytes, row[property]);
  }
}

/** A statement whose result rows are decoded as `found` describes. */
export class BulkQuery<C extends Columns, Found extends Columns> {
  readonly #statement: BulkStatement<C>;
  readonly #found: Selection<Found>;

  constructor(columns: C, found: Selection<Found>, build: (source: string) => string) {
    this.#statement = new BulkStatement(columns, build);
    this.#found = found;
  }

  async run(sql: Pick<BulkTransaction, 'query'>, rows: readonly RowOf<C>[]): Promise<RowOf<Found>[]> {
    return (await this.#statement.run(sql, rows)).map(this.#found.read);
  }

  /** Runs a query by one column with these values. */
  async runEach(sql: Pick<BulkTransaction, 'query'>, values: readonly ValueOf<C[keyof C]>[]): Promise<RowOf<Found>[]> {
    return (await this.#statement.runEach(sql, values)).map(this.#found.read);
  }
}
