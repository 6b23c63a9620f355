// Deep equality of two plain values.
import { isObject } from '@presage/protocol/browser';

/** An undefined field equals an absent one. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (Array.isArray(a)) return Array.isArray(b) && areSameLists(a, b);
  return areSameFields(a, b);
}

type Fields = Readonly<Record<string, unknown>>;

export function areSameLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (!isSame(a[at], b[at])) return false;
  return true;
}

function areSameFields(a: Fields, b: Fields): boolean {
  let count = 0;
  for (const name in a) {
    const value = a[name];
    if (value === undefined) continue;
    if (value !== b[name] && !isSame(value, b[name])) return false;
    count++;
  }
  for (const name in b) if (b[name] !== undefined) count--;
  return count === 0;
}
