// The origin: where a journal begins whose oldest segments were deleted, and what came before.

import { isErrorCode } from '@presage/runtime/node';
import { crc32c } from '../crc32c.ts';
import { JournalCorrupt } from '../errors.ts';
import { type JournalFiles, readWhole, replaceFile } from './files.ts';
import type { Segment } from './segments.ts';

export interface Origin {
  /** The oldest record that is kept. */
  readonly firstSeq: number;
  /** SHA-256 of the frame before it: what is kept is still proven to follow what was deleted. */
  readonly previousHash: Uint8Array;
  /** SHA-256 of the very first frame, hexadecimal: views and anchors know the journal by it. */
  readonly identity: string;
}

const NAME = 'origin';
const LINE = /^(presage-origin 1 ([a-z0-9-]+) (\d+) ([0-9a-f]{64}) ([0-9a-f]{64})) ([0-9a-f]{8})\n$/;

/** Undefined of a journal that is whole. */
export async function readOrigin(files: JournalFiles, dir: string): Promise<Origin | undefined> {
  const file = `${dir}/${NAME}`;
  try {
    const text = Buffer.from(await readWhole(files, file)).toString('latin1');
    const [, line, , firstSeq, previousHash = '', identity, sum] = LINE.exec(text) ?? [];
    if (line !== undefined && identity !== undefined && sum === checksum(line)) {
      return { firstSeq: Number(firstSeq), previousHash: Buffer.from(previousHash, 'hex'), identity };
    }
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  throw new JournalCorrupt({
    file,
    offset: 0,
    expectedSeq: 1,
    reason: 'what says where the journal begins is damaged',
  });
}

export async function writeOrigin(files: JournalFiles, dir: string, partition: string, origin: Origin): Promise<void> {
  const previousHash = Buffer.from(origin.previousHash).toString('hex');
  const line = `presage-origin 1 ${partition} ${origin.firstSeq} ${previousHash} ${origin.identity}`;
  await replaceFile(files, dir, NAME, [Buffer.from(`${line} ${checksum(line)}\n`)]);
}

/** Segments from the origin onwards, or all segments if deleted ones were restored. */
export function keptSegments(segments: readonly Segment[], origin: Origin | undefined) {
  const isWhole = origin === undefined || segments[0]?.firstSeq === 1;
  return isWhole
    ? { segments, origin: undefined }
    : { segments: segments.filter(({ firstSeq }) => firstSeq >= origin.firstSeq), origin };
}

function checksum(line: string): string {
  return crc32c(Buffer.from(line, 'latin1')).toString(16).padStart(8, '0');
}
