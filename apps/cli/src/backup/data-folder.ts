// Lists what a backup of a data folder contains: its journals and small files, but not the database, which is rebuilt from the journals.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Lists the service's journals separately: one process writes them with one clock, so a backup cuts them at one time. */
export interface DataFolder {
  /** Journals of the service, relative to the data folder. */
  readonly journals: readonly string[];
  /** Logs of the sandbox's chains. The service follows them, so a backup's copy may be ahead of its journals but never behind. */
  readonly chainLogs: readonly string[];
  readonly files: readonly string[];
}

/** `.new-*` are days that `presage archive` is writing; it may move them away during the copy. */
const SKIPPED = /^(journal|database|processes|chain(-\d+)?|lock-.*|\.new-.*|.*\.tmp|.*\.log(\.\d+)?)$/;

export async function readDataFolder(root: string): Promise<DataFolder> {
  const journals = await listFolders(root, ['journal', join('service', 'journal')]);
  const chains = (await namesIn(root)).filter((name) => /^chain(-\d+)?$/.test(name)).map((name) => join(name, 'log'));
  const chainLogs: string[] = [];
  for (const log of chains) if ((await namesIn(join(root, log))).length > 0) chainLogs.push(log);
  return { journals, chainLogs, files: await listFiles(root, '') };
}

async function listFolders(root: string, parents: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    parents.map(async (parent) => (await namesIn(join(root, parent))).map((name) => join(parent, name))),
  );
  return found.flat().sort();
}

async function listFiles(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(folder, entry.name);
      if (SKIPPED.test(entry.name)) return [];
      return entry.isDirectory() ? listFiles(root, path) : entry.isFile() ? [path] : [];
    }),
  );
  return found.flat().sort();
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
