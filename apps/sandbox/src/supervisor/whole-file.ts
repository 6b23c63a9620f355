// Small files that are there whole or not at all, whatever happens while they are written.
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writeWholeFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  // Only for its owner: there are keys in some of them.
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  await folder.sync().finally(() => folder.close());
}

/** Undefined when there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
