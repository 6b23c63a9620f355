// The archive: full segments that no restart needs, compressed in the folder `archive`. They are read, verified and
// replayed like the others.
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { isErrorCode } from '@presage/runtime/node';
import { JournalCorrupt } from '../errors.ts';
import { type JournalFile, type JournalFiles, readFully, readWhole, replaceFile } from './files.ts';

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);
const FOLDER = 'archive';
const SUFFIX = '.br';
/** For records this quality is ten times faster than the best, and a few percent larger. */
const PARAMS = { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 };

/** Names of archived segments, unchanged by archiving; empty if there is no archive. */
export async function listArchived(files: JournalFiles, dir: string): Promise<string[]> {
  try {
    const names = await files.list(`${dir}/${FOLDER}`);
    return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Removes the segment only after its archive is durable and verified: after a kill in between, both exist. */
export async function archiveSegment(files: JournalFiles, dir: string, path: string): Promise<void> {
  const bytes = await readWhole(files, path);
  const packed = await compress(bytes, { params: PARAMS });
  const name = `${nameOf(path)}${SUFFIX}`;
  await files.makeDir(`${dir}/${FOLDER}`);
  await replaceFile(files, `${dir}/${FOLDER}`, name, [packed]);
  const kept = await decompress(await readWhole(files, `${dir}/${FOLDER}/${name}`));
  if (Buffer.compare(kept, bytes) !== 0) throw new Error(`the archive of ${path} does not hold the same`);
  await files.remove(path);
  await files.syncDir(dir);
}

/** Names as `listArchived` returns them, oldest first, so that the newer part is left after a kill. */
export async function deleteArchived(files: JournalFiles, dir: string, names: readonly string[]): Promise<void> {
  for (const name of names) await files.remove(`${dir}/${FOLDER}/${name}${SUFFIX}`);
  await files.syncDir(`${dir}/${FOLDER}`);
}

/** Time at which it was archived. */
export function archivedMs(files: JournalFiles, dir: string, name: string): Promise<number> {
  return files.modifiedMs(`${dir}/${FOLDER}/${name}${SUFFIX}`);
}

/** Opens a segment in either place; it may move to the archive at any time. */
export async function openSegment(files: JournalFiles, dir: string, path: string): Promise<JournalFile> {
  try {
    return await files.open(path, 'read');
  } catch (error) {
    if (!isErrorCode(error, 'ENOENT')) throw error;
    return toFile(await unpack(files, `${dir}/${FOLDER}/${nameOf(path)}${SUFFIX}`));
  }
}

/** Compressed bytes that are read to find a segment's first frame. */
const START_BYTES = 256 * 1024;

/** The first part of an archived segment, which may end within a frame; undefined if the segment is not archived. */
export async function openArchivedStart(
  files: JournalFiles,
  dir: string,
  path: string,
): Promise<JournalFile | undefined> {
  const packed = await readStart(files, `${dir}/${FOLDER}/${nameOf(path)}${SUFFIX}`);
  // Damage is reported by readers of the whole file.
  const cut = { finishFlush: constants.BROTLI_OPERATION_FLUSH };
  const bytes = packed && (await decompress(packed, cut).catch(() => undefined));
  return bytes && toFile(bytes);
}

async function readStart(files: JournalFiles, name: string): Promise<Uint8Array | undefined> {
  const file = await files.open(name, 'read').catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const start = new Uint8Array(START_BYTES);
    return start.subarray(0, await readFully(file, start, 0));
  } finally {
    await file.close();
  }
}

async function unpack(files: JournalFiles, file: string): Promise<Uint8Array> {
  const packed = await readWhole(files, file);
  try {
    return await decompress(packed);
  } catch (error) {
    const expectedSeq = Number.parseInt(nameOf(file), 10);
    throw new JournalCorrupt({ file, offset: 0, expectedSeq, reason: `an archived segment is damaged: ${error}` });
  }
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function toFile(bytes: Uint8Array): JournalFile {
  return {
    read: async (target, position) => {
      const part = bytes.subarray(position, position + target.length);
      target.set(part);
      return part.length;
    },
    write: () => Promise.reject(new Error('an archived segment is not written to')),
    datasync: async () => undefined,
    size: async () => bytes.length,
    close: async () => undefined,
  };
}
