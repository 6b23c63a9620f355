// Opens the database's part of the data folder: the password, the server's log, and the path of the work folder.
import { lstat, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@presage/runtime';
import { makePrivateFolder } from '@presage/runtime/node';
import { findPostmaster } from './postmaster-file.ts';
import {
  createAccess,
  listOutsideBases,
  OUTSIDE_PREFIX,
  OWNER_FILE,
  openWorkFolder,
  readAccess,
  type WorkFolder,
  writeAccess,
} from './work-folder.ts';

export interface DatabaseFolder {
  readonly logFile: string;
  readonly password: string;
  readonly work: WorkFolder;
  /** True if no cluster can exist with this password. */
  readonly isNew: boolean;
}

const LOG_BYTES = 10_000_000;

export async function openDatabaseFolder(dataDir: string): Promise<DatabaseFolder> {
  const folder = await makeFolder(dataDir);
  const known = await readAccess(folder);
  const access = known ?? createAccess();
  if (!known) await writeAccess(folder, access);
  const work = await openWorkFolder(folder, access);
  await sweepOutsideFolders(folder);
  const logFile = join(folder, 'server.log');
  await turnLog(logFile);
  return { logFile, password: access.password, work, isNew: !known };
}

async function makeFolder(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'database');
  try {
    await makePrivateFolder(folder);
    return await realpath(folder);
  } catch (error) {
    throw new Error(`The data folder ${dataDir} cannot be used: ${messageOf(error)}`, { cause: error });
  }
}

/** Rotates the log; one older log is kept. */
async function turnLog(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (stats) => stats.size,
    () => 0,
  );
  if (size > LOG_BYTES) await rename(logFile, `${logFile}.1`);
}

/**
 * Removes the outside work folders of data folders that no longer exist, so that deleted data leaves nothing behind.
 * Best effort: a folder that cannot be read or removed stays.
 */
async function sweepOutsideFolders(folder: string): Promise<void> {
  for (const base of listOutsideBases(folder)) {
    const names = await readdir(base).catch(() => []);
    for (const name of names.filter((entry) => entry.startsWith(OUTSIDE_PREFIX))) {
      await sweep(join(base, name)).catch(() => undefined);
    }
  }
}

async function sweep(outside: string): Promise<void> {
  const { uid } = await lstat(outside);
  if (uid !== process.getuid?.()) return;
  const owner = await readFile(join(outside, OWNER_FILE), 'utf8');
  const access = await readAccess(owner);
  if (access?.outside === outside || (await findPostmaster(join(outside, 'work', 'cluster')))) return;
  await rm(outside, { recursive: true, force: true });
}
