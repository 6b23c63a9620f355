// The file operations that a journal needs, as a port: tests and the simulator put failing disks behind it.
import { writeSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { makePrivateFolder, PRIVATE_FILE, readFolderIdentity, syncDirectory } from '@presage/runtime/node';

export interface JournalFile {
  /** Fills `target` as far as the file goes; returns the number of bytes read. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Writes at `position`; may write less than requested, and returns how much. */
  write(source: Uint8Array, position: number): Promise<number>;
  /** Makes the content durable, and as much of the metadata as reading it needs (including the size). */
  datasync(): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export interface JournalFiles {
  /** Names in the directory; rejects with code ENOENT if it does not exist. */
  list(dir: string): Promise<string[]>;
  /** Creates the directory and its parents durably. */
  makeDir(dir: string): Promise<void>;
  /** `create` fails with code EEXIST if the file exists. */
  open(path: string, mode: 'read' | 'write' | 'create'): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  /** A missing file counts as removed. */
  remove(path: string): Promise<void>;
  /** Time of the last write to its content, by the machine's clock. */
  modifiedMs(path: string): Promise<number>;
  /** Makes creations, renames and removals in the directory durable. */
  syncDir(dir: string): Promise<void>;
  /** Identity of the directory, which its copies do not share; absent if copies cannot be distinguished. */
  identify?(dir: string): string | undefined;
}

/**
 * A small frame is copied to the page cache in microseconds. On another thread it would wait for a whole turn of a busy
 * event loop before its sync could begin, and every order in it as well.
 */
const COPIED_AT_ONCE_BYTES = 256 * 1024;

const FLAGS = { read: 'r', write: 'r+', create: 'wx+' } as const;

export const nodeFiles: JournalFiles = {
  list: (dir) => readdir(dir),
  makeDir,
  open: (path, mode) => openNodeFile(path, FLAGS[mode]),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path, { force: true }),
  modifiedMs: async (path) => (await stat(path)).mtimeMs,
  syncDir: syncDirectory,
  identify: readFolderIdentity,
};

async function makeDir(dir: string): Promise<void> {
  const path = resolve(dir);
  const topmostMade = (await makePrivateFolder(path)) ?? path;
  for (let made = path; made.length >= topmostMade.length; made = dirname(made)) await syncDirectory(dirname(made));
}

async function openNodeFile(path: string, flags: string): Promise<JournalFile> {
  const handle = await open(path, flags, PRIVATE_FILE);
  return {
    read: async (target, position) => (await handle.read(target, 0, target.length, position)).bytesRead,
    write: async (source, position) =>
      source.length <= COPIED_AT_ONCE_BYTES
        ? writeSync(handle.fd, source, 0, source.length, position)
        : (await handle.write(source, 0, source.length, position)).bytesWritten,
    datasync: () => handle.datasync(),
    size: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
}

/** Completes partial writes; a write without progress is an error. */
export async function writeFully(file: JournalFile, source: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < source.length) {
    const written = await file.write(done === 0 ? source : source.subarray(done), position + done);
    if (written <= 0) throw new Error(`A write made no progress after ${done} of ${source.length} bytes.`);
    done += written;
  }
}

/** Reads `target.length` bytes or up to the end of the file; returns the number of bytes read. */
export async function readFully(file: JournalFile, target: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < target.length) {
    const got = await file.read(done === 0 ? target : target.subarray(done), position + done);
    if (got <= 0) break;
    done += got;
  }
  return done;
}

export async function readWhole(files: JournalFiles, path: string): Promise<Uint8Array> {
  const file = await files.open(path, 'read');
  try {
    const bytes = new Uint8Array(await file.size());
    return bytes.subarray(0, await readFully(file, bytes, 0));
  } finally {
    await file.close();
  }
}

/** Replaces the file atomically: whatever happens, `name` has either the previous or the whole new content. */
export function replaceFile(files: JournalFiles, dir: string, name: string, parts: Uint8Array[]): Promise<void> {
  return replaceFileBy(files, dir, name, async (file) => {
    let position = 0;
    for (const part of parts) {
      await writeFully(file, part, position);
      position += part.length;
    }
  });
}

/** Like `replaceFile`, with content written by `write`. */
export async function replaceFileBy(
  files: JournalFiles,
  dir: string,
  name: string,
  write: (file: JournalFile) => Promise<void>,
): Promise<void> {
  const temporary = `${dir}/${name}.tmp`;
  await files.remove(temporary);
  try {
    await writeNew(files, temporary, write);
    await files.rename(temporary, `${dir}/${name}`);
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
  await files.syncDir(dir);
}

async function writeNew(files: JournalFiles, path: string, write: (file: JournalFile) => Promise<void>): Promise<void> {
  const file = await files.open(path, 'create');
  try {
    await write(file);
    await file.datasync();
  } finally {
    await file.close();
  }
}
