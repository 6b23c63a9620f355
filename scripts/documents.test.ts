// Checks the shape of the documents: the README is short and starts with a picture, every page begins with its benefit,
// and the index links to all of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './import-graph.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));

describe('README.md', () => {
  const lines = read('README.md').trimEnd().split('\n');

  it('has at most 90 lines', () => {
    expect(lines.length).toBeLessThanOrEqual(90);
  });

  it('shows a picture before the first section', () => {
    const picture = lines.findIndex((line) => line.startsWith('!['));
    expect(picture).toBeGreaterThan(0);
    expect(picture).toBeLessThan(lines.findIndex((line) => line.startsWith('## ')));
  });
});

describe('docs', () => {
  it.each(pages)('%s starts with a title and a paragraph', (name) => {
    const [title = '', blank, first = ''] = read(`docs/${name}`).split('\n');
    expect(title).toMatch(/^# \S/);
    expect(blank).toBe('');
    expect(first).toMatch(/^[^#|<>`\-![\s].{40,}|^`/);
  });

  it('are all listed in docs/README.md', () => {
    const listed = new Set([...read('docs/README.md').matchAll(/^\| \[([\w-]+\.md)\]/gm)].map((match) => match[1]));
    expect(pages.filter((name) => name !== 'README.md' && !listed.has(name))).toEqual([]);
  });

  it('lead each kind of reader to at most five pages', () => {
    const rows = read('docs/README.md')
      .split('\n')
      .filter((line) => /^\| an? \*\*/.test(line));
    expect(rows).toHaveLength(5);
    for (const row of rows) expect([...row.matchAll(/\]\(/g)].length, row).toBeLessThanOrEqual(5);
  });
});

describe('docs/comparison.md', () => {
  const page = read('docs/comparison.md');
  const [before = '', sources = ''] = page.split('## Sources');
  const numbersIn = (text: string) => new Set([...text.matchAll(/\[([1-9]\d*)\]/g)].map((match) => Number(match[1])));
  const listed = new Set([...sources.matchAll(/^\| (\d+) \| https:/gm)].map((match) => Number(match[1])));

  it('has a source for each number, and uses each source', () => {
    expect([...numbersIn(before)].sort((a, b) => a - b)).toEqual([...listed]);
  });

  it('has every number that README.md cites', () => {
    expect([...numbersIn(read('README.md'))].filter((number) => !listed.has(number))).toEqual([]);
  });
});
