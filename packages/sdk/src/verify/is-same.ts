// Whether two plain values are equal in every field, however deep.

export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  let count = 0;
  for (const name in left) {
    if (left[name] === undefined) continue;
    if (!isSame(left[name], right[name])) return false;
    count++;
  }
  for (const name in right) if (right[name] !== undefined) count--;
  return count === 0;
}
