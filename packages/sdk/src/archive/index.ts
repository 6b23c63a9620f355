// `@presage/sdk/archive`: daily files of trades and books, computed from the journal. Separate from the client because it includes the engine.
export {
  ARCHIVE_FILES,
  type ArchiveFile,
  type ArchivePiece,
  DailyArchive,
  type DayPositions,
} from './daily-archive.ts';
export {
  type ArchivedFile,
  type ArchivedPartition,
  type ArchiveManifest,
  archiveFileName,
  MANIFEST_NAME,
  writeManifest,
} from './manifest.ts';
export {
  type ArchiveFrame,
  listPublishedPartitions,
  type PublishedFramesOptions,
  readPublishedFrames,
} from './published-frames.ts';
