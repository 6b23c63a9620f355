// Sorts the keys of objects, so that equal data give equal bytes.

/**
 * Sorts keys recursively: key order depends on how an object was built, and the same data must give the same bytes. A
 * sorted value is returned unchanged.
 */
export function sortKeys<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isSorted(value)) return value;
  // Only the order of keys changes, so the type is kept.
  if (Array.isArray(value)) return value.map(sortKeys) as T;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, member]) => [name, sortKeys(member)])) as T;
}

function isSorted(value: object): boolean {
  let previous = '';
  const isList = Array.isArray(value);
  for (const name of Object.keys(value)) {
    if (!isList && name < previous) return false;
    previous = name;
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (typeof member === 'object' && member !== null && !isSorted(member)) return false;
  }
  return true;
}
