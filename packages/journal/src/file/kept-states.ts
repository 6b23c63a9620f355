// Reads checkpoints and the memory image of a journal in files beside the process that writes it, without its lock.
import { isErrorCode } from '@presage/runtime/node';
import type { CheckpointFound, MemoryFound } from '../journal.ts';
import { Checkpoints } from './checkpoints.ts';
import { nodeFiles } from './files.ts';
import type { JournalFolder } from './mark.ts';
import { MemoryImages } from './memory-images.ts';

const NOTHING: CheckpointFound = { checkpoint: undefined, damaged: [] };

export class KeptStates {
  readonly #checkpoints: Checkpoints;
  readonly #images: MemoryImages;

  constructor({ files = nodeFiles, ...folder }: Omit<JournalFolder, 'files'> & Partial<Pick<JournalFolder, 'files'>>) {
    this.#checkpoints = new Checkpoints({ ...folder, files });
    this.#images = new MemoryImages({ ...folder, files });
  }

  /** Skips a file that the writer replaces meanwhile: the records give the same state. */
  async readCheckpoint(lastSeq: number): Promise<CheckpointFound> {
    return (await unlessReplaced(this.#checkpoints.readUpTo(lastSeq))) ?? NOTHING;
  }

  async readMemory(lastSeq: number): Promise<MemoryFound | undefined> {
    const image = await unlessReplaced(this.#images.read());
    if (image === undefined || image.seq > lastSeq) return undefined;
    // Only the writer of checkpoints knows that sequence.
    return { ...image, checkpointSeq: 0 };
  }
}

async function unlessReplaced<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}
