// The table of README.md, "Which test shows what", names tests that are there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'contracts/README.md'), 'utf8');
const named = [...readme.matchAll(/\| `([^`]+)`: "([^"]+)" \|$/gm)].map(([, file, title]) => [file!, title!] as const);

it.each(named)('%s has "%s"', (file, title) => {
  const source = readFileSync(join(root, file), 'utf8');
  // With what follows it: a title that is the beginning of another is not it.
  const ends = file.endsWith('.sol') ? `function ${title}(` : `'${title}'`;
  expect(source.includes(ends), `${file} has no test "${title}"`).toBe(true);
});

it('has a test in every row that names a point', () => {
  const table = readme.slice(readme.indexOf('## Which test shows what'));
  const rows = table.split('\n').filter((line) => /^\| /.test(line) && !/^\| Point/.test(line));
  expect(named.length).toBe(rows.length);
  expect(named.length).toBeGreaterThan(60);
});
