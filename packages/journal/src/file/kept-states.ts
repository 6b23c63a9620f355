// Checkpoints and the image of memory of a journal in files that another process writes: read beside it, without its lock.
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

  /** What the writer replaces meanwhile is passed over: the records say the same. */
  async readCheckpoint(lastSeq: number): Promise<CheckpointFound> {
    return (await unlessReplaced(this.#checkpoints.readUpTo(lastSeq))) ?? NOTHING;
  }

  async readMemory(lastSeq: number): Promise<MemoryFound | undefined> {
    const image = await unlessReplaced(this.#images.read());
    if (image === undefined || image.seq > lastSeq) return undefined;
    // Counted by whoever writes checkpoints.
    return { ...image, checkpointSeq: 0 };
  }
}

async function unlessReplaced<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((error: unknown) => {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}
