// Files that are made once and kept until a source changes: written whole, and known to be fresh by the marks of their sources.
import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Whole or not at all: several programs, and threads of one, may start at once. Not synced, since a lost one is made again. */
export async function keepFile(file, contents) {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    await writeFile(draft, contents);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** What distinguishes one state of a file from another; undefined when there is no file. */
export async function markOf(file) {
  const found = await stat(file).catch(() => undefined);
  return found && `${found.mtimeMs}:${found.size}`;
}

export async function marksOf(files) {
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await markOf(file)])));
}

/** Every source is as it was when its mark was written down. */
export async function areMarksCurrent(marksFile) {
  const marks = JSON.parse(await readFile(marksFile, 'utf8').catch(() => 'null'));
  if (marks === null) return false;
  const now = await Promise.all(Object.keys(marks).map(async (file) => (await markOf(file)) === marks[file]));
  return now.every(Boolean);
}
