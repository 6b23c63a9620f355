// Files that are made once and kept until a source changes: written whole, and known to be fresh by the marks of their sources.
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

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

/** What distinguishes one state of a file from another; undefined when there is no file. At once: a thousand promises take longer than a thousand looks. */
export function markOf(file) {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs}:${found.size}`;
}

/** By their paths from the folder that the marks will lie in: both may be moved together. */
export function marksOf(files, folder) {
  return Object.fromEntries([...new Set(files.map(toMarked))].map((file) => [relative(folder, file), markOf(file)]));
}

/** A package that npm installed changes as a whole, and its package.json with it: looking at each of its files took longer than reading the program. */
function toMarked(file) {
  const [installed] = /^.*[\\/]node_modules[\\/](@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(file) ?? [];
  return installed === undefined ? file : join(installed, 'package.json');
}

/** Every source is as it was when its mark was written down. */
export async function areMarksCurrent(marksFile) {
  const marks = JSON.parse(await readFile(marksFile, 'utf8').catch(() => 'null'));
  if (marks === null) return false;
  const folder = dirname(marksFile);
  // Put together as they are: resolving each path took longer than looking at the file.
  return Object.entries(marks).every(([file, mark]) => markOf(`${folder}${sep}${file}`) === mark);
}
