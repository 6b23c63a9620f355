// The page of limits and the file of limits say the same.
import { readFile } from 'node:fs/promises';
import { LIMITS } from '@presage/protocol';
import { expect, it } from 'vitest';

function flatten(limits: object, prefix = ''): [name: string, value: number][] {
  return Object.entries(limits).flatMap(([name, value]) =>
    typeof value === 'object' ? flatten(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value]],
  );
}

it('docs/limits.md names every limit with its value, and no other', async () => {
  const page = await readFile(new URL('../../../docs/limits.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `([\w.]+)` \| ([\d,]+) \| (.+) \|$/gm)];
  const told = rows.map(([, name, value]) => [name, Number(value!.replaceAll(',', ''))]);
  expect(told.sort()).toEqual(flatten(LIMITS).sort());
});
