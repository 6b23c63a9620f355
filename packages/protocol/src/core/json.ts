// Lossless JSON: integers past 2^53 are parsed and written exactly.
import { parse as parseLossless } from 'lossless-json';

/** A bare integer of 16 or more digits, the only kind that JSON.parse could round. May also match inside a string, which only costs time. */
const LONG_INTEGER = /[:[,]\s*-?\d{16,}/;
const INTEGER = /^-?\d+$/;

/** Throws SyntaxError on malformed text. Integers that are not safe come out as bigint. */
export function parseJson(text: string): unknown {
  if (!LONG_INTEGER.test(text) && !INTEGER.test(text)) return JSON.parse(text);
  return parseLossless(text, undefined, { parseNumber: parseExactNumber });
}

function parseExactNumber(text: string): number | bigint {
  const value = Number(text);
  if (Number.isSafeInteger(value) || !INTEGER.test(text)) return value;
  return BigInt(text);
}

/** JSON.stringify for values that may hold bigints, which come out as plain digits. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return writeValue(value, new Set()) ?? 'null';
  }
}

/** Same rules as JSON.stringify: undefined and functions vanish from objects and are null in arrays. */
function writeValue(value: unknown, above: Set<object>): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (above.has(value)) throw new TypeError('cannot write a circular structure as JSON');
  above.add(value);
  const text = writeObject(value, above);
  above.delete(value);
  return text;
}

function writeObject(value: object, above: Set<object>): string | undefined {
  if ('toJSON' in value && typeof value.toJSON === 'function') return writeValue(value.toJSON(), above);
  if (Array.isArray(value)) return `[${value.map((item) => writeValue(item, above) ?? 'null').join(',')}]`;
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    const text = writeValue(member, above);
    if (text !== undefined) members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** Narrows to an object or a list, so that any member may be read. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Keys of an object literal, typed as the literal's names. */
export function keysOf<T extends object>(table: T): (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
