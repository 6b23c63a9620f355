// The table of places in SECURITY.md: every row names tests that exist.
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

const text = await read('SECURITY.md');
const section = text.slice(text.indexOf('## Who can hold a place'), text.indexOf('## Tried in number'));
const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Place '));

it.each(rows.map((row) => row.split(' | ')))('%s: the tests that show it exist', async (...cells) => {
  expect(cells).toHaveLength(5);
  const named = [...String(cells[4]).matchAll(/`([^`]+)`((?:[:,] "[^"]+")+)/g)];
  expect(named.length).toBeGreaterThan(0);
  for (const [, file = '', titles = ''] of named) {
    const source = await read(file);
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g)) expect(source, file).toContain(title);
  }
});
