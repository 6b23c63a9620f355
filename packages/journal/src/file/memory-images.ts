// Images of memory beside the checkpoints, which a start reads instead of a checkpoint if possible. Only the newest is kept.
import { createHash } from 'node:crypto';
import { SerialQueue } from '@presage/runtime';
import { hashAhead, hashFrame } from '../frame.ts';
import { PARTITION_NAME_BYTES } from '../frame-layout.ts';
import type { MemoryImage } from '../journal.ts';
import { type JournalFile, readWhole, replaceFileBy, writeFully } from './files.ts';
import type { JournalFolder } from './mark.ts';
import { NumberedFiles } from './numbered-files.ts';

/*
 * Little-endian: magic F8 'P' 'J' 'M', version (2 bytes, 1), number of parts (2), sequence (8), partition name (24, padded with
 * zeros), the length of each part (8), the parts, and the SHA-256 of everything before it (32).
 */
const MAGIC = 0x4d4a50f8;
const VERSION = 1;
const HEADER_BYTES = 40;
const LENGTH_BYTES = 8;
const DIGEST_BYTES = 32;
/** Bytes copied, hashed and written at once, in about a millisecond. */
const PIECE_BYTES = 1024 * 1024;

export class MemoryImages {
  readonly #folder: JournalFolder;
  readonly #named: NumberedFiles;
  readonly #queue = new SerialQueue();

  constructor(folder: JournalFolder) {
    this.#folder = folder;
    this.#named = new NumberedFiles(folder, 'memory');
  }

  write(image: MemoryImage): Promise<void> {
    return this.#queue.run(() => this.#write(image));
  }

  /** The newest undamaged image. */
  async read(): Promise<MemoryImage | undefined> {
    const { files, dir } = this.#folder;
    for (const name of await this.#named.newestFirst()) {
      const image = await this.#decode(name, await readWhole(files, `${dir}/${name}`));
      if (image !== undefined) return image;
    }
    return undefined;
  }

  async settled(): Promise<void> {
    await this.#queue.idle();
  }

  async #write(image: MemoryImage): Promise<void> {
    const { files, dir, partition } = this.#folder;
    const head = encodeHead(image, partition);
    await replaceFileBy(files, dir, this.#named.nameOf(image.seq), (file) => writePieces(file, [head, ...image.parts]));
    await this.#named.keepNewest(1);
  }

  async #decode(name: string, bytes: Uint8Array): Promise<MemoryImage | undefined> {
    if (bytes.length < HEADER_BYTES + DIGEST_BYTES) return undefined;
    const content = bytes.subarray(0, bytes.length - DIGEST_BYTES);
    const digest = content.length < PIECE_BYTES ? hashFrame(content) : await hashAhead(content);
    if (Buffer.compare(digest, bytes.subarray(content.length)) !== 0) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (view.getUint32(0, true) !== MAGIC || view.getUint16(4, true) !== VERSION) return undefined;
    const seq = Number(view.getBigUint64(8, true));
    const parts: Uint8Array[] = [];
    const count = view.getUint16(6, true);
    let at = HEADER_BYTES + count * LENGTH_BYTES;
    for (let part = 0; part < count; part++) {
      const length = Number(view.getBigUint64(HEADER_BYTES + part * LENGTH_BYTES, true));
      parts.push(content.subarray(at, at + length));
      at += length;
    }
    const head = encodeHead({ seq, parts }, this.#folder.partition);
    const isOurs =
      at === content.length && this.#named.nameOf(seq) === name && content.subarray(0, head.length).every(isIn(head));
    return isOurs ? { seq, parts } : undefined;
  }
}

function isIn(bytes: Uint8Array): (byte: number, at: number) => boolean {
  return (byte, at) => bytes[at] === byte;
}

function encodeHead({ seq, parts }: MemoryImage, partition: string): Uint8Array {
  const head = Buffer.alloc(HEADER_BYTES + parts.length * LENGTH_BYTES);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt16LE(VERSION, 4);
  head.writeUInt16LE(parts.length, 6);
  head.writeBigUInt64LE(BigInt(seq), 8);
  head.write(partition, 16, PARTITION_NAME_BYTES, 'latin1');
  for (const [part, { length }] of parts.entries())
    head.writeBigUInt64LE(BigInt(length), HEADER_BYTES + part * LENGTH_BYTES);
  return head;
}

/**
 * Reads each byte only once, because parts of the memory outside the image keep changing: the hashed bytes must be the
 * written ones.
 */
async function writePieces(file: JournalFile, parts: readonly Uint8Array[]): Promise<void> {
  const hash = createHash('sha256');
  const piece = new Uint8Array(PIECE_BYTES);
  let position = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length; start += PIECE_BYTES) {
      const taken = part.subarray(start, start + PIECE_BYTES);
      piece.set(taken);
      const bytes = piece.subarray(0, taken.length);
      hash.update(bytes);
      await writeFully(file, bytes, position);
      position += bytes.length;
    }
  }
  await writeFully(file, hash.digest(), position);
}
