// Checkpoint files: written atomically, the newest two kept, each verified by its own SHA-256.
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SerialQueue } from '@presage/runtime';
import { assertNotAhead, CHECKPOINTS_KEPT } from '../body.ts';
import { PARTITION_NAME_BYTES } from '../frame-layout.ts';
import type { Checkpoint, CheckpointFound } from '../journal.ts';
import { readWhole, replaceFile } from './files.ts';
import type { JournalFolder } from './mark.ts';
import { NumberedFiles } from './numbered-files.ts';

/*
 * Little-endian: magic F8 'P' 'J' 'C', version (2 bytes, 1), zero (2), length of the body (8), sequence (8), partition name
 * (24, padded with zeros), state hash (32), the body, and the SHA-256 of everything before it (32).
 */
const MAGIC = 0x434a50f8;
const VERSION = 1;
const HEADER_BYTES = 80;
const DIGEST_BYTES = 32;

export class Checkpoints {
  readonly #folder: JournalFolder;
  readonly #named: NumberedFiles;
  readonly #queue = new SerialQueue();

  constructor(folder: JournalFolder) {
    this.#folder = folder;
    this.#named = new NumberedFiles(folder, 'checkpoint');
  }

  write(checkpoint: Checkpoint): Promise<void> {
    return this.#queue.run(() => this.#write(checkpoint));
  }

  async read(lastSeq: number): Promise<CheckpointFound> {
    const found = await this.#readFirst(await this.#named.newestFirst());
    if (found.checkpoint !== undefined) assertNotAhead(found.checkpoint, lastSeq, this.#folder.dir);
    return found;
  }

  /** The newest that is not ahead, for a process that reads beside the writer. */
  async readUpTo(lastSeq: number): Promise<CheckpointFound> {
    const names = await this.#named.newestFirst();
    return this.#readFirst(names.filter((name) => this.#named.seqOf(name) <= lastSeq));
  }

  /** Sequence of the oldest kept checkpoint; undefined until the usual number is kept. */
  async oldestSeq(): Promise<number | undefined> {
    const oldest = (await this.#named.newestFirst())[CHECKPOINTS_KEPT - 1];
    return oldest === undefined ? undefined : this.#named.seqOf(oldest);
  }

  /** Sequence of the newest by name; 0 without one. */
  async newestSeq(): Promise<number> {
    const newest = (await this.#named.newestFirst())[0];
    return newest === undefined ? 0 : this.#named.seqOf(newest);
  }

  async settled(): Promise<void> {
    await this.#queue.idle();
  }

  /** The first undamaged one. */
  async #readFirst(names: readonly string[]): Promise<CheckpointFound> {
    const { files, dir } = this.#folder;
    const damaged: string[] = [];
    for (const name of names) {
      const checkpoint = this.#decode(name, await readWhole(files, `${dir}/${name}`));
      if (typeof checkpoint !== 'string') return { checkpoint, damaged };
      damaged.push(`${dir}/${name} was passed over: ${checkpoint}`);
    }
    return { checkpoint: undefined, damaged };
  }

  async #write(checkpoint: Checkpoint): Promise<void> {
    const { files, dir, partition } = this.#folder;
    const header = encodeHeader(checkpoint, partition);
    const digest = await digestBetweenWork(header, checkpoint.body);
    await replaceFile(files, dir, this.#named.nameOf(checkpoint.seq), [header, checkpoint.body, digest]);
    await this.#named.keepNewest(CHECKPOINTS_KEPT);
  }

  #decode(name: string, bytes: Uint8Array): Checkpoint | string {
    if (bytes.length < HEADER_BYTES + DIGEST_BYTES) return 'it is too short';
    const header = bytes.subarray(0, HEADER_BYTES);
    const body = bytes.subarray(HEADER_BYTES, bytes.length - DIGEST_BYTES);
    const digest = bytes.subarray(bytes.length - DIGEST_BYTES);
    if (!digestOf(header, body).equals(digest)) return 'its checksum is wrong';
    const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
    if (view.getUint32(0, true) !== MAGIC || view.getUint16(4, true) !== VERSION) return 'its format is unknown';
    const checkpoint: Checkpoint = {
      seq: Number(view.getBigUint64(16, true)),
      stateHash: Buffer.from(header.subarray(48, HEADER_BYTES)).toString('hex'),
      body,
    };
    const expected = encodeHeader(checkpoint, this.#folder.partition);
    if (Buffer.compare(expected, header) !== 0 || this.#named.nameOf(checkpoint.seq) !== name)
      return 'it belongs elsewhere';
    return checkpoint;
  }
}

function encodeHeader(checkpoint: Checkpoint, partition: string): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt16LE(VERSION, 4);
  header.writeBigUInt64LE(BigInt(checkpoint.body.length), 8);
  header.writeBigUInt64LE(BigInt(checkpoint.seq), 16);
  header.write(partition, 24, PARTITION_NAME_BYTES, 'latin1');
  header.write(checkpoint.stateHash, 48, DIGEST_BYTES, 'hex');
  return header;
}

function digestOf(header: Uint8Array, body: Uint8Array): Buffer {
  return createHash('sha256').update(header).update(body).digest();
}

/**
 * Hashed in pieces of a few milliseconds: a checkpoint may have hundreds of mebibytes, and orders wait for this thread.
 */
const HASHED_AT_ONCE_BYTES = 4 * 1024 * 1024;

async function digestBetweenWork(header: Uint8Array, body: Uint8Array): Promise<Buffer> {
  const hash = createHash('sha256').update(header);
  for (let start = 0; start < body.length; start += HASHED_AT_ONCE_BYTES) {
    if (start > 0) await nextTurn();
    hash.update(body.subarray(start, start + HASHED_AT_ONCE_BYTES));
  }
  return hash.digest();
}
