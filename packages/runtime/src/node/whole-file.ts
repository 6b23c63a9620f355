// Atomic writes of small files: a file is complete or absent, whatever happens during the write.
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isErrorCode } from './error-code.ts';
import { syncDirectory } from './sync-directory.ts';

let drafts = 0;

/** Durable when it resolves. Readable by the owner only unless another mode is given: some of these files hold keys. */
export async function writeFileAtomically(path: string, contents: string | Uint8Array, mode = 0o600): Promise<void> {
  // A draft name per write, so that two concurrent writes do not mix their contents.
  const draft = `${path}.${process.pid}-${++drafts}.tmp`;
  try {
    await writeDurably(draft, contents, mode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(dirname(path));
}

async function writeDurably(path: string, contents: string | Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    await file.writeFile(contents);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Undefined if the file does not exist. */
export async function readFileIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
