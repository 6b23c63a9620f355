// Tests that the repository's checks detect violations, on small artificial trees.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findImportCircles } from './check-circles.ts';
import { findDeadLinks } from './check-links.ts';

const made: string[] = [];

afterEach(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'presage-checks-'));
  made.push(root);
  for (const [path, text] of Object.entries({ 'apps/.keep': '', 'packages/.keep': '', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

it('a circle through three files is found once, as the shortest way round', () => {
  const root = treeOf({
    'apps/x/src/a.ts': "import { b } from './b.ts';\nexport const a = b;",
    'apps/x/src/b.ts': "export { c as b } from './c.ts';",
    'apps/x/src/c.ts': "export const c = async () => (await import('./a.ts')).a;",
    'apps/x/src/d.ts': "import './a.ts';",
  });
  expect(findImportCircles(root)).toEqual({
    values: [['apps/x/src/a.ts', 'apps/x/src/b.ts', 'apps/x/src/c.ts']],
    types: [],
  });
});

it('a circle that only a type closes is listed separately', () => {
  const root = treeOf({
    'apps/x/src/a.ts': "import { b } from './b.ts';\nexport type A = typeof b;",
    'apps/x/src/b.ts': "import type { A } from './a.ts';\nexport const b = (a: A) => a;",
  });
  expect(findImportCircles(root)).toEqual({ values: [], types: [['apps/x/src/a.ts', 'apps/x/src/b.ts']] });
});

it('a circle between workspaces is found through their entrances', () => {
  const manifest = (name: string) => JSON.stringify({ name, exports: { '.': './src/index.ts' } });
  const root = treeOf({
    'packages/p/package.json': manifest('@presage/p'),
    'packages/p/src/index.ts': "export * from '@presage/q';",
    'packages/q/package.json': manifest('@presage/q'),
    'packages/q/src/index.ts': "import '@presage/p';",
  });
  expect(findImportCircles(root).values).toEqual([['packages/p/src/index.ts', 'packages/q/src/index.ts']]);
});

it('finds links to missing files and headings and names of missing source files, and ignores code', () => {
  const root = treeOf({
    'README.md': [
      '# The repository',
      '## What it is, really?',
      '[good](docs/a.md) [good](docs/a.md#two-words) [good](#what-it-is-really) [good](https://example.org/x.md)',
      '[bad](docs/b.md) [bad](docs/a.md#three) [bad](../elsewhere.md) `[code](nowhere.md)`',
      'In `apps/a.ts`, `src/a.ts` and `npm run b.ts`',
      '```',
      '[code](nowhere.md)',
      '```',
    ].join('\n'),
    'packages/p/src/a.ts': '',
    'docs/a.md': '## Two words\n\n[good](../README.md#the-repository)\n![bad](picture.png)',
  });
  execFileSync('git', ['init', '-q'], { cwd: root });
  expect(findDeadLinks(root)).toEqual([
    'README.md: docs/b.md: no such file',
    'README.md: docs/a.md#three: no such heading',
    'README.md: ../elsewhere.md: leads out of the repository',
    'README.md: apps/a.ts: no such file',
    'docs/a.md: picture.png: no such file',
  ]);
});
