// Objects with their keys in one order, so that equal data give equal bytes.

/** Key order depends on how an object was built: the same data must give the same bytes. What is sorted already is returned as it is. */
export function sortKeys<T>(value: T): T {
  if (typeof value !== 'object' || value === null || isSorted(value)) return value;
  // The same value with its keys in another order.
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
