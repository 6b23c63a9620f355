// Where the embedded server works: for root, for ordinary users, in folders that are closed, from programs out of reach.
import { spawnSync } from 'node:child_process';
import { access, chown, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../src/embedded-postgres.ts';
import { findInstalledPackage } from '../src/installed-package.ts';
import { openPostgresBinaries } from '../src/postgres-binaries.ts';
import { readAccess } from '../src/work-folder.ts';
import {
  connect,
  IS_ROOT,
  makeDataDir,
  makeKeptDataDir,
  openServer,
  readNotes,
  removeDataDir,
  writeNote,
} from './fixtures.ts';
import { spawnService } from './spawn-service.ts';

/** "daemon" or "bin": initdb wants a user that is in the user list, and this one is in all. */
const USER = { uid: 1, gid: 1 };

const HERE = fileURLToPath(import.meta.url);
const CAN_BE_USER = IS_ROOT && spawnSync('/bin/sh', ['-c', 'test -r "$1"', 'sh', HERE], USER).status === 0;

async function readOutside(dataDir: string): Promise<string | undefined> {
  return (await readAccess(join(dataDir, 'database')))?.outside;
}

describe.runIf(IS_ROOT)(
  'EmbeddedPostgres of a service that runs as root, with a data folder that others cannot pass',
  () => {
    let dataDir: string;
    let copy: string;

    beforeAll(async () => {
      [dataDir, copy] = [await makeKeptDataDir(0o700), await makeKeptDataDir(0o700)];
    });
    afterAll(async () => {
      for (const folder of [dataDir, copy]) await removeDataDir(folder);
    });

    it('works outside it, and finds its rows there again', async () => {
      const first = await EmbeddedPostgres.open({ dataDir });
      await writeNote(first.url, 'kept');
      await first.close();
      const outside = await readOutside(dataDir);
      expect(await readdir(outside ?? '')).toEqual(['belongs-to', 'work']);
      const second = await openServer({ dataDir });
      expect(await readNotes(second.url)).toEqual(['kept']);
      expect(await readOutside(dataDir)).toBe(outside);
      expect((await lstat(dataDir)).mode & 0o777).toBe(0o700);
    });

    it('does not share the outside folder with a copy of the data folder', async () => {
      const original = await openServer({ dataDir });
      await mkdir(join(copy, 'database'));
      await writeFile(
        join(copy, 'database', 'access.json'),
        await readFile(join(dataDir, 'database', 'access.json'), 'utf8'),
      );
      const server = await openServer({ dataDir: copy });
      expect(await readOutside(copy)).not.toBe(await readOutside(dataDir));
      await expect(readNotes(server.url)).rejects.toThrow('relation "note" does not exist');
      expect(await readNotes(original.url)).toEqual(['kept']);
    });

    it('removes the outside folder of a data folder that no longer exists', async () => {
      const outside = (await readOutside(dataDir)) ?? '';
      await access(outside);
      await rm(dataDir, { recursive: true });
      await openServer({ dataDir: copy });
      await expect(access(outside)).rejects.toThrow('ENOENT');
    });
  },
);

describe.runIf(IS_ROOT)('EmbeddedPostgres of a service that runs as root', () => {
  it('runs from a copy when the programs lie where its user cannot go', async () => {
    const closed = await makeDataDir(0o700);
    const installed = await findInstalledPackage();
    const native = join(closed, 'native');
    await symlink(installed.native, native);
    const path = await makeDataDir(0o700);
    await chown(path, USER.uid, USER.gid);
    const work = { path, account: USER };
    const copy = await openPostgresBinaries(work, { ...installed, native });
    expect(copy.isCopy).toBe(true);
    expect(spawnSync(copy.postgres, ['--version'], { ...USER, encoding: 'utf8' }).stdout).toContain('(PostgreSQL) 18');
    const { ino } = await lstat(copy.postgres);
    await openPostgresBinaries(work, { ...installed, native });
    expect((await lstat(copy.postgres)).ino).toBe(ino);
  });

  it('serves the folder of an ordinary user as that user', async () => {
    const dataDir = await makeDataDir();
    const work = join(dataDir, 'database', 'work');
    await mkdir(work, { recursive: true });
    await chown(work, USER.uid, USER.gid);
    const { url } = await openServer({ dataDir });
    expect(await connect(url)`select 1 as one`).toEqual([{ one: 1 }]);
    expect((await lstat(join(work, 'cluster'))).uid).toBe(USER.uid);
  });
});

describe('EmbeddedPostgres of a service of an ordinary user', () => {
  it.runIf(CAN_BE_USER || !IS_ROOT)('works inside a data folder that only its user can read', async () => {
    const dataDir = await makeDataDir(0o700);
    if (IS_ROOT) await chown(dataDir, USER.uid, USER.gid);
    const service = await spawnService(dataDir, IS_ROOT ? USER : undefined);
    await writeNote(service.url, 'mine');
    expect(await readNotes(service.url)).toEqual(['mine']);
    const { uid } = await lstat(join(dataDir, 'database', 'work', 'cluster'));
    expect(uid).toBe(IS_ROOT ? USER.uid : process.getuid?.());
  });

  it.runIf(CAN_BE_USER)('says which data folder it cannot use', async () => {
    const dataDir = await makeDataDir(0o700);
    await expect(spawnService(join(dataDir, 'data'), USER)).rejects.toThrow(
      `The data folder ${join(dataDir, 'data')} cannot be used: EACCES`,
    );
  });
});
