// A table of the view, described once: row type and bulk statements are derived from its columns.
import { BulkInsert, BulkQuery, BulkStatement, Selection } from './bulk-statement.ts';
import { type ChangingOf, type Columns, columnNameOf, pick, type RowOf } from './columns.ts';

/** Combines the stored value with the given one in an upsert; by default the given one replaces it. */
type Merge = (before: string, given: string) => string;

export const kept: Merge = (before) => before;
export const added: Merge = (before, given) => `${before} + ${given}`;
export const highest: Merge = (before, given) => `greatest(${before}, ${given})`;
export const lowest: Merge = (before, given) => `least(${before}, ${given})`;
export const replacedIfGiven: Merge = (before, given) => `coalesce(${given}, ${before})`;

export class Table<C extends Columns> extends Selection<C> {
  readonly name: string;
  /** Initial values of the changing columns. */
  readonly start: Pick<RowOf<C>, ChangingOf<C>>;
  readonly #path: string;

  constructor(name: string, columns: C) {
    super(columns);
    this.name = name;
    this.#path = `presage_view.${name}`;
    const starts = this.#changing().map((property): unknown[] => [property, columns[property]?.start ?? null]);
    this.start = Object.fromEntries(starts);
  }

  /** Inserts rows that must not exist yet. */
  insert(): BulkInsert<C> {
    return new BulkInsert(this.#path, this.columns, this.#insert());
  }

  /** Inserts rows, keeping existing ones. */
  insertMissing(): BulkStatement<C> {
    return this.#insert('on conflict do nothing');
  }

  upsert(key: readonly (keyof C)[], merges: { readonly [Name in keyof C]?: Merge } = {}): BulkStatement<C> {
    const others = Object.keys(this.columns).filter((property) => !key.includes(property));
    const sets = others.map((property) => {
      const name = this.#nameOf(property);
      const given = `excluded.${name}`;
      return `${name} = ${merges[property]?.(`${this.name}.${name}`, given) ?? given}`;
    });
    return this.#insert(`on conflict (${this.#names(key).join(', ')}) do update set ${sets.join(', ')}`);
  }

  /** Updates the changing columns, or the named ones. */
  update<Key extends keyof C>(key: Key): BulkStatement<C>;
  update<Key extends keyof C, Name extends keyof C>(key: Key, set: readonly Name[]): BulkStatement<Pick<C, Key | Name>>;
  update(key: keyof C, set: readonly (keyof C)[] = this.#changing()): BulkStatement<Columns> {
    const sets = this.#names(set).map((name) => `${name} = given.${name}`);
    return new BulkStatement<Columns>(
      pick(this.columns, key, ...set),
      (source) => `update ${this.#path} t set ${sets.join(', ')} from ${source} where ${this.#match([key])}`,
    );
  }

  delete<Key extends keyof C>(...key: readonly Key[]): BulkStatement<Pick<C, Key>> {
    return new BulkStatement(
      pick(this.columns, ...key),
      (source) => `delete from ${this.#path} t using ${source} where ${this.#match(key)}`,
    );
  }

  load<Key extends keyof C>(...key: readonly Key[]): BulkQuery<Pick<C, Key>, C> {
    return new BulkQuery(
      pick(this.columns, ...key),
      this,
      (source) => `select ${this.list('t')} from ${source} join ${this.#path} t on ${this.#match(key)}`,
    );
  }

  #insert(onConflict = ''): BulkStatement<C> {
    return new BulkStatement(
      this.columns,
      (source, names) => `insert into ${this.#path} (${names}) select ${names} from ${source} ${onConflict}`,
    );
  }

  #changing(): (keyof C)[] {
    return Object.keys(this.columns).filter((property) => this.columns[property]!.changes);
  }

  #match(key: readonly (keyof C)[]): string {
    return this.#names(key)
      .map((name) => `t.${name} = given.${name}`)
      .join(' and ');
  }

  #names(properties: readonly (keyof C)[]): string[] {
    return properties.map((property) => this.#nameOf(String(property)));
  }

  #nameOf(property: string): string {
    return columnNameOf(property, this.columns[property]);
  }
}
