// Reads and writes PostgreSQL's text form of a one-dimensional array.

export function formatArray(items: readonly (string | null)[]): string {
  return `{${items.map(formatItem).join(',')}}`;
}

function formatItem(item: string | null): string {
  return item === null ? 'NULL' : `"${item.replace(/["\\]/g, '\\$&')}"`;
}

/** An item is quoted, with backslashes before quotes and backslashes inside, or bare up to the next comma. */
const ITEM = /"((?:[^"\\]|\\.)*)"|([^,{}"]+)/gs;

/** Throws on arrays of more dimensions, which the store does not use. */
export function parseArray(text: string): (string | null)[] {
  const body = text.slice(1, -1);
  if (text[0] !== '{' || text.at(-1) !== '}' || body.startsWith('{')) throw new Error(`not a plain array: ${text}`);
  return Array.from(body.matchAll(ITEM), ([, quoted, bare]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1');
    return bare === 'NULL' || bare === undefined ? null : bare;
  });
}
