// The links between PostgreSQL's libraries, which npm cannot ship.
import { mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findInstalledPackage, makeLibraryLinks } from '../src/installed-package.ts';
import { makeDataDir } from './fixtures.ts';

describe('makeLibraryLinks', () => {
  const links = [
    { path: 'lib/libpq.so.5', target: 'libpq.so.5.18' },
    { path: 'lib/libpq.so', target: 'libpq.so.5.18' },
  ];

  it('creates missing and repairs dangling links, also when several services do so at once', async () => {
    const native = await makeDataDir();
    await mkdir(join(native, 'lib'));
    await writeFile(join(native, 'lib', 'libpq.so.5.18'), '');
    await symlink('libpq.so.5.17', join(native, 'lib', 'libpq.so'));
    const results = await Promise.all(Array.from({ length: 8 }, () => makeLibraryLinks(native, links)));
    expect(results).toEqual(Array(8).fill(true));
    expect((await readdir(join(native, 'lib'))).sort()).toEqual(['libpq.so', 'libpq.so.5', 'libpq.so.5.18']);
    for (const { path, target } of links) expect(await readlink(join(native, path))).toBe(target);
  });

  it('reports a link that is missing and cannot be made', async () => {
    const native = await makeDataDir();
    expect(await makeLibraryLinks(native, links)).toBe(false);
    expect(await readdir(native)).toEqual([]);
  });

  it('finds in the installed package every link it asks for', async () => {
    const { native, links: wanted } = await findInstalledPackage();
    expect(wanted.length).toBeGreaterThan(0);
    expect(await makeLibraryLinks(native, wanted)).toBe(true);
    expect(new Set(wanted.map(({ path }) => dirname(path)))).toEqual(new Set(['lib']));
  });
});
