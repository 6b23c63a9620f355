// Atomic files: written beside, made durable, then renamed into place.
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE, syncDirectory } from '@presage/runtime/node';

const UNFINISHED = '.tmp';

export async function openDirectory(dir: string): Promise<void> {
  await makePrivateFolder(dir);
  for (const name of await readdir(dir)) if (name.endsWith(UNFINISHED)) await rm(join(dir, name), { force: true });
}

export async function writeWhole(dir: string, name: string, parts: readonly Uint8Array[]): Promise<void> {
  const path = join(dir, name);
  const file = await open(path + UNFINISHED, 'w', PRIVATE_FILE);
  try {
    for (const part of parts) await file.writeFile(part);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(path + UNFINISHED, path);
  await syncDirectory(dir);
}

/** Reads exactly these bytes, or throws an error that describes the file's fault. */
export async function readRange(path: string, position: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, position);
    if (bytesRead !== length) throw new Error(`${path} ends at byte ${position + bytesRead}`);
    return bytes;
  } finally {
    await file.close();
  }
}
