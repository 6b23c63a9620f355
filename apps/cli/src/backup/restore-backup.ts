// Restores a backup into a new data folder and verifies every journal in it.
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { verifyJournal } from '@presage/journal';
import { BackupDamaged, UsageError } from '../exit-codes.ts';
import { readDataFolder } from './data-folder.ts';
import { type CopiedJournal, type Manifest, readManifest } from './take-backup.ts';

/** Names of segments and checkpoints, which hold a sequence. */
const PLACED = /^(?:checkpoint-)?(\d{16})(?:\.frames)?$/;
/** File that says where a journal begins after its older segments were deleted; a copy writes it with its first segment. */
const ORIGIN = 'origin';

export async function restoreBackup(from: string, root: string): Promise<CopiedJournal[]> {
  const manifest = await readManifest(from);
  if (manifest === undefined || Object.keys(manifest.journals).length === 0)
    throw new UsageError(`there is no backup in ${from}`, 'Name a folder that presage backup has written.');
  const present = await readdir(root).catch(() => []);
  if (present.length > 0) {
    throw new UsageError(`${root} is not empty`, 'A restore never overwrites: name a new folder with --data-dir.');
  }
  try {
    return await restore(from, root, manifest);
  } catch (error) {
    // A partial restore must not be mistaken for a complete one.
    for (const name of await readdir(root).catch(() => []))
      await rm(join(root, name), { recursive: true, force: true });
    throw error;
  }
}

async function restore(from: string, root: string, manifest: Manifest): Promise<CopiedJournal[]> {
  const { files } = await readDataFolder(from);
  // The account of PostgreSQL must be able to pass through to its own folder inside.
  await mkdir(root, { recursive: true, mode: 0o711 });
  for (const file of files) if (file !== 'backup.json') await put(from, root, file);
  const restored: CopiedJournal[] = [];
  for (const [journal, { lastSeq, headHash }] of Object.entries(manifest.journals)) {
    await mkdir(join(root, journal), { recursive: true, mode: 0o711 });
    for (const name of await readdir(join(from, journal))) {
      // Files and records past `lastSeq` come from a later backup run that did not finish.
      const seq = name === ORIGIN ? 1 : Number(PLACED.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
      if (seq <= lastSeq) await put(from, root, join(journal, name));
    }
    const found = await verifyJournal(join(root, journal));
    if (found.lastSeq !== lastSeq || found.headHash !== headHash) {
      throw new BackupDamaged(`${journal} ends at ${found.lastSeq}, its backup says ${lastSeq}: the backup is damaged`);
    }
    restored.push({ journal, records: lastSeq, added: lastSeq, head: headHash });
  }
  return restored;
}

async function put(from: string, root: string, file: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true, mode: 0o711 });
  await copyFile(join(from, file), join(root, file));
}
