// Columns of the view: the JavaScript type of a value, and its conversion to PostgreSQL and back.
import type { CopyBytes } from './copy-bytes.ts';

type IntegerType = 'smallint' | 'integer' | 'bigint';

interface AnyColumn {
  readonly type: IntegerType | 'numeric' | 'boolean' | 'bytea' | 'text';
  readonly isNullable: boolean;
  /** Whether later records may change it. */
  readonly changes: boolean;
  /** Value in a new row, for a changing column; null by default. */
  readonly start?: unknown;
  /** Column name, if it differs from the property's name in snake case. */
  readonly name?: string;
  /** Encodes the value as an item of an array literal. */
  encode(value: never): string;
  /** Writes the value as a field of a binary COPY. */
  write(into: CopyBytes, value: never): void;
  decode(found: unknown): unknown;
}

export interface Column<Value, Changes extends boolean = false> extends AnyColumn {
  readonly changes: Changes;
  encode(value: Value): string;
  write(into: CopyBytes, value: Value): void;
  decode(found: unknown): Value;
}

/** Columns by the property that holds them in a row. */
export type Columns = Readonly<Record<string, AnyColumn>>;

export type ValueOf<C> = C extends { decode(found: unknown): infer Value } ? Value : never;
export type ChangingOf<C> = { [Key in keyof C]-?: C[Key] extends { changes: true } ? Key : never }[keyof C];

/** The row type of the columns; properties of changing columns are writable. */
export type RowOf<C> = { readonly [Key in Exclude<keyof C, ChangingOf<C>>]: ValueOf<C[Key]> } & {
  [Key in ChangingOf<C>]: ValueOf<C[Key]>;
};

interface Crossing<T> {
  readonly encode: (value: T) => string;
  readonly write: (into: CopyBytes, value: T) => void;
  readonly decode: (found: unknown) => unknown;
}

/** `T` is the type of written values, and so of those read: brands, unions, hex. */
function column<T>(type: AnyColumn['type'], crossing: Crossing<T>) {
  return { type, isNullable: false, changes: false, ...crossing } as Column<T>;
}

const WRITE_INTEGER: Readonly<Record<IntegerType, Crossing<number>['write']>> = {
  smallint: (into, value) => into.int16(value),
  integer: (into, value) => into.int32(value),
  bigint: (into, value) => into.int64(value),
};

/** At most 2^53. */
export const integer = <T extends number = number>(type: IntegerType = 'bigint') =>
  column<T>(type, { encode: String, write: WRITE_INTEGER[type], decode: Number });

/** An amount that fits into 64 bits. */
export const amount = () =>
  column<bigint>('bigint', { encode: String, write: (into, value) => into.bigint64(value), decode: toBigInt });

/** An integer of any length. */
export const exact = () =>
  column<bigint>('numeric', { encode: String, write: (into, value) => into.numeric(value), decode: toBigInt });

/** An integer of any length as decimal text. */
export const decimal = () =>
  column<string>('numeric', { encode: String, write: (into, value) => into.numericText(value), decode: String });

export const flag = () =>
  column<boolean>('boolean', {
    encode: String,
    write: (into, value) => into.flag(value),
    decode: (found) => found,
  });

/** `0x` and hex digits. */
export const bytes = <T extends `0x${string}`>() =>
  column<T>('bytea', {
    encode: (hex) => `"\\\\x${hex.slice(2)}"`,
    write: (into, hex) => into.hex(hex),
    decode: hexOf,
  });

/** PostgreSQL text holds every character but NUL; a NUL in a market's question must not stop the view. */
export const text = <T extends string = string>() =>
  column<T>('text', {
    encode: (value) => `"${withoutNul(value).replace(/["\\]/g, '\\$&')}"`,
    write: (into, value) => into.text(withoutNul(value)),
    decode: (found) => found,
  });

function withoutNul(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

export function orNull<T>(inner: Column<T>): Column<T | null> {
  return {
    ...inner,
    isNullable: true,
    encode: (value) => (value === null ? 'null' : inner.encode(value)),
    write: (into, value) => (value === null ? into.null() : inner.write(into, value)),
    decode: (found) => (found === null ? null : inner.decode(found)),
  };
}

export function changing<T>(inner: Column<T>, start?: T): Column<T, true> {
  return { ...inner, changes: true, start };
}

export function named<T>(name: string, inner: Column<T>): Column<T> {
  return { ...inner, name };
}

export function pick<C extends Columns, Name extends keyof C>(columns: C, ...names: readonly Name[]): Pick<C, Name> {
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<C, Name>;
}

export function columnNameOf(property: string, { name }: { readonly name?: string } = {}): string {
  return name ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The client returns 64-bit and longer integers as `bigint` or as decimal text. */
function toBigInt(found: unknown): bigint {
  return typeof found === 'bigint' ? found : BigInt(String(found));
}

/** Converts a buffer, or bytea's text form (`\\x` and hex digits), to hex. */
export function hexOf(found: unknown): `0x${string}` {
  return `0x${Buffer.isBuffer(found) ? found.toString('hex') : String(found).slice(2)}`;
}

/** Converts `0x` and hex digits to bytes. */
export function toBytes(hex: string): Buffer {
  return Buffer.from(hex.slice(2), 'hex');
}
