// Tests that cached files are rebuilt after a change of a source, or a new install of a package.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { areMarksCurrent, keepFile, marksOf } from './kept-files.mjs';

function makeProject() {
  const dir = mkdtempSync(join(tmpdir(), 'presage-marks-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const file = join(dir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const sources = [
    write('src/main.ts', 'a'),
    write('node_modules/plain/lib/index.js', 'a'),
    write('node_modules/@scoped/part/lib/index.js', 'a'),
    write('src/node_modules/nested/index.js', 'a'),
  ];
  for (const folder of ['node_modules/plain', 'node_modules/@scoped/part', 'src/node_modules/nested']) {
    write(`${folder}/package.json`, '{"version":"1.0.0"}');
  }
  return { dir, write, sources, marks: join(dir, 'marks.json') };
}

it.each([
  ['a source', 'src/main.ts'],
  ['a package', 'node_modules/plain/package.json'],
  ['a package of a scope', 'node_modules/@scoped/part/package.json'],
  ['a package of one workspace', 'src/node_modules/nested/package.json'],
])('%s that changed is noticed', async (_what, name) => {
  const { write, sources, marks } = makeProject();
  await keepFile(marks, JSON.stringify(marksOf(sources, dirname(marks))));
  expect(await areMarksCurrent(marks)).toBe(true);
  write(name, 'something of another length');
  expect(await areMarksCurrent(marks)).toBe(false);
});

it('what was moved together with its sources is as current as before', async () => {
  const { dir, sources, marks } = makeProject();
  await keepFile(marks, JSON.stringify(marksOf(sources, dir)));
  const moved = `${dir}-moved`;
  renameSync(dir, moved);
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
  expect(await areMarksCurrent(join(moved, 'marks.json'))).toBe(true);
});

it('without marks nothing is current', async () => {
  expect(await areMarksCurrent(makeProject().marks)).toBe(false);
});
