// Segment files: their names, their order, and how a new one comes to be.

import { listArchived } from './archive.ts';
import { type JournalFile, type JournalFiles, writeFully } from './files.ts';

export interface Segment {
  readonly firstSeq: number;
  /** Where it is written; an archived one is no longer there. */
  readonly path: string;
}

// Sixteen digits hold every safe integer, and make the order of names the order of history.
const SEGMENT_NAME = /^(\d{16})\.frames$/;
const ZEROS = new Uint8Array(1024 * 1024);

export async function listSegments(files: JournalFiles, dir: string): Promise<Segment[]> {
  const segments: Segment[] = [];
  // The archive first: what moves there between the two looks is then seen in one of them or in both.
  const names = [...(await listArchived(files, dir)), ...(await files.list(dir))];
  for (const name of new Set(names)) {
    const digits = SEGMENT_NAME.exec(name)?.[1];
    if (digits !== undefined) segments.push({ firstSeq: Number(digits), path: `${dir}/${name}` });
  }
  return segments.sort((a, b) => a.firstSeq - b.firstSeq);
}

/** A segment appears under its name only when its zeros are durable, so its mere presence proves all history before it. */
export async function createSegment(
  files: JournalFiles,
  dir: string,
  size: { firstSeq: number; bytes: number },
): Promise<{ segment: Segment; file: JournalFile }> {
  const path = `${dir}/${String(size.firstSeq).padStart(16, '0')}.frames`;
  await files.remove(`${path}.tmp`);
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    await writeZeros(file, 0, size.bytes);
    await file.datasync();
    await files.rename(`${path}.tmp`, path);
    await files.syncDir(dir);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { segment: { firstSeq: size.firstSeq, path }, file };
}

export async function writeZeros(file: JournalFile, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += ZEROS.length) {
    await writeFully(file, ZEROS.subarray(0, Math.min(ZEROS.length, to - at)), at);
  }
}
