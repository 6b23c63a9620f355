// The manifest of an archived day: its files with their hashes, and the frames of the journal that they follow from.
import type { Wire } from '@presage/protocol/browser';
import type * as wire from '@presage/protocol/wire';
import type { ArchiveFile } from './daily-archive.ts';

export type ArchiveManifest = Wire<typeof wire.ArchiveManifest>;
export type ArchivedPartition = ArchiveManifest['partitions'][number];
export type ArchivedFile = ArchivedPartition['files'][number];

export const MANIFEST_NAME = 'manifest.json';

/** The name of a file, such as `m0-trades.csv`. */
export function archiveFileName(partition: string, file: ArchiveFile): string {
  return `${partition}-${file}.csv`;
}

/** The manifest's text. The same day always gives the same bytes. */
export function writeManifest(day: string, partitions: readonly ArchivedPartition[]): string {
  const sorted = [...partitions].sort((a, b) => (a.partition < b.partition ? -1 : 1));
  const manifest: ArchiveManifest = { version: 1, day, partitions: sorted };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
