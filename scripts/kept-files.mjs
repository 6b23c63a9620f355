// Cache of built files: written atomically, and current as long as the marks of their sources are unchanged.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

/** Atomic, because several programs, and threads of one, may start at once. Not synced, since a lost file is rebuilt. */
export async function keepFile(file, contents) {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    await writeFile(draft, contents);
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** A value that changes with the file; undefined if there is no file. Synchronous: a thousand promises take longer than a thousand calls. */
export function markOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs}:${found.size}`;
}

/** Paths are relative to the folder of the marks, so that both may be moved together. */
export function marksOf(files, folder) {
  return Object.fromEntries([...new Set(files.map(toMarked))].map((file) => [relative(folder, file), markOf(file)]));
}

/**
 * Marks the package.json for a file of an installed package, which npm only changes as a whole: checking each of its
 * files took longer than reading the program.
 */
function toMarked(file) {
  const [installed] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file) ?? [];
  return installed === undefined ? file : join(installed, 'package.json');
}

/** Whether every source is unchanged since its mark was written. */
export async function areMarksCurrent(marksFile) {
  const marks = JSON.parse(await readFile(marksFile, 'utf8').catch(() => 'null'));
  if (marks === null) return false;
  const folder = dirname(marksFile);
  // Concatenated: resolving each path took longer than checking the file.
  return Object.entries(marks).every(([file, mark]) => markOf(`${folder}${sep}${file}`) === mark);
}
