// Removes the outside work folders of data folders that no longer exist, so that deleted data leaves nothing behind.
import { lstat, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readAccess } from './access-file.ts';
import { findPostmaster } from './postmaster-file.ts';
import { listOutsideBases, OUTSIDE_PREFIX, OWNER_FILE } from './work-folder.ts';

/** Best effort: what cannot be read or removed stays. */
export async function sweepOutsideFolders(folder: string): Promise<void> {
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
