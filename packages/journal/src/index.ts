// Ordered durable records behind one interface.

export { crc32c } from './crc32c.ts';
export {
  type Damage,
  JournalCorrupt,
  JournalError,
  JournalFenced,
  JournalLocked,
  JournalMisuse,
  JournalPoisoned,
} from './errors.ts';
export { FileJournal, type FileJournalOptions, type FileRecovery } from './file/file-journal.ts';
export { type JournalFile, type JournalFiles, nodeFiles } from './file/files.ts';
export { FrameCursor, type FrameCursorOptions } from './file/frame-cursor.ts';
export { type VerifyReport, verifyJournal } from './file/verify.ts';
export { decodeFrame, encodeFrame, type Frame, type FrameFault, type FrameHeader, MAX_FRAME_BYTES } from './frame.ts';
export { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
export type {
  Checkpoint,
  CheckpointFound,
  FrameListener,
  FrameRef,
  Journal,
  JournalReader,
} from './journal.ts';
export { MemoryJournal, type MemoryJournalOptions, MemoryStorage } from './memory-journal.ts';
export { isPartitionName } from './partition.ts';
