// Ordered durable records behind one interface.

export { toFrameSeal, toHashText, trimFrame } from './body.ts';
export { type AdoptingJournal, type CopyProgress, copyJournal } from './copy.ts';
export { crc32c } from './crc32c.ts';
export {
  JournalCorrupt,
  JournalFenced,
  JournalLocked,
  JournalMisuse,
  JournalPoisoned,
  RecordsDeleted,
} from './errors.ts';
export { FileJournal, type FileJournalOptions } from './file/file-journal.ts';
export { type JournalFile, type JournalFiles, nodeFiles } from './file/files.ts';
export { FrameCursor } from './file/frame-cursor.ts';
export { COPY_START, type CopyPoint, CopyRefused, JournalCopy } from './file/journal-copy.ts';
export { KeptStates } from './file/kept-states.ts';
export { type VerifyReport, verifyJournal } from './file/scan.ts';
export { FollowedJournal, type FollowedSource, type SeenFrame } from './followed-journal.ts';
export { decodeFrame, encodeFrame, type Frame, type FrameHeader, MAX_FRAME_BYTES, visitRecords } from './frame.ts';
export { isPartitionName } from './frame-layout.ts';
export { readPages } from './frame-pages.ts';
export { GroupCommit, type PushTarget } from './group-commit.ts';
export type {
  Checkpoint,
  CheckpointFound,
  FrameRef,
  FrameSeal,
  Journal,
  JournalReader,
  MemoryFound,
  MemoryImage,
} from './journal.ts';
export { ConnectionLost, type JournalDatabase, listServers, toSentParameters } from './postgres/database.ts';
export { PostgresFrames } from './postgres/followed-frames.ts';
export { type HandedOver, JournalSuccessor } from './postgres/journal-successor.ts';
export { type LeaseHolder, readLeases } from './postgres/lease.ts';
export { type ClusterNode, NodeTable, readNodes } from './postgres/node-table.ts';
export { listPartitions, PostgresJournal, type PostgresJournalOptions } from './postgres/postgres-journal.ts';
