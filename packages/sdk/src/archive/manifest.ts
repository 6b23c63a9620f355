// What a day of the archive says of itself: its files with their hashes, and the frames of the journal that they follow from.
import type { Hex } from '@presage/protocol/browser';
import type { ArchiveFile, DayPositions } from './daily-archive.ts';

export interface ArchivedFile {
  /** `m0-trades.csv`, beside the manifest. */
  readonly name: string;
  readonly sha256: Hex;
  readonly bytes: number;
}

export interface ArchivedPartition extends DayPositions {
  readonly partition: string;
  readonly files: readonly ArchivedFile[];
}

export interface ArchiveManifest {
  /** The version of the files' content: the same journal gives the same bytes under the same version. */
  readonly version: 1;
  readonly day: string;
  readonly partitions: readonly ArchivedPartition[];
}

export const MANIFEST_NAME = 'manifest.json';

/** The name of a file of a day: `m0-trades.csv`. */
export function archiveFileName(partition: string, file: ArchiveFile): string {
  return `${partition}-${file}.csv`;
}

/** Always the same bytes for the same day. */
export function writeManifest({ day, partitions }: Omit<ArchiveManifest, 'version'>): string {
  const sorted = [...partitions].sort((a, b) => (a.partition < b.partition ? -1 : 1));
  const manifest: ArchiveManifest = { version: 1, day, partitions: sorted };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
