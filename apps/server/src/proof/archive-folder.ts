// Reads the public daily archive, which `presage archive` writes into a folder: a manifest and files per day.
import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { compileLater } from '@presage/protocol';
import { ArchiveManifest } from '@presage/protocol/wire';
import { isErrorCode } from '@presage/runtime/node';
import type { Static } from 'typebox';

export type ArchivedDay = Static<typeof ArchiveManifest>;
export type ArchivedFile = ArchivedDay['partitions'][number]['files'][number];

const isManifest = compileLater(ArchiveManifest);

export class ArchiveFolder {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Finds a day's manifest; undefined if the day is not archived (yet). `day` must be a date, since it names a folder. */
  async find(day: string): Promise<ArchivedDay | undefined> {
    try {
      const manifest: unknown = JSON.parse(await readFile(join(this.#dir, day, 'manifest.json'), 'utf8'));
      return isManifest().Check(manifest) && manifest.day === day ? manifest : undefined;
    } catch (error) {
      if (isErrorCode(error, 'ENOENT') || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** Opens a file of a day's manifest; undefined if it is missing or differs from the manifest in length. */
  async open(day: string, { name, bytes }: ArchivedFile): Promise<Readable | undefined> {
    const file = await open(join(this.#dir, day, name)).catch((error: unknown) => {
      if (isErrorCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (file === undefined) return undefined;
    if ((await file.stat()).size === bytes) return createReadStream('', { fd: file });
    await file.close();
    return undefined;
  }
}
