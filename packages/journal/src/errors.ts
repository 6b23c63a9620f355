// Errors of a journal, each a class of its own whose message says what the operator should do.
import { messageOf } from '@presage/runtime';

class JournalError extends Error {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
  }
}

export interface Damage {
  file: string;
  offset: number;
  expectedSeq: number;
  reason: string;
}

/** History is damaged in a way that a crash cannot explain: nothing may be appended or served from it. */
export class JournalCorrupt extends JournalError {
  readonly file: string;
  readonly offset: number;
  readonly expectedSeq: number;
  readonly reason: string;

  constructor(damage: Damage) {
    super(
      'journal-corrupt',
      `The journal is damaged: ${damage.reason} (${damage.file} at byte ${damage.offset}, where sequence ${damage.expectedSeq} ` +
        'was expected). Nothing was changed. Keep a copy of the directory, restore it from a backup or a replica, ' +
        'and check the disk before starting again.',
    );
    this.file = damage.file;
    this.offset = damage.offset;
    this.expectedSeq = damage.expectedSeq;
    this.reason = damage.reason;
  }
}

/** Another live process owns the partition. */
export class JournalLocked extends JournalError {
  readonly pid: number | undefined;

  constructor(where: string, owner: number | string) {
    super(
      'journal-locked',
      typeof owner === 'number'
        ? `Process ${owner} already writes the journal ${where}. Stop that process, or give this one another data directory.`
        : `${owner} holds the partition ${where} of the journal. It can be taken when that node gives it up or is silent for its lease.`,
    );
    this.pid = typeof owner === 'number' ? owner : undefined;
  }
}

/**
 * A write failed. Whether the frame in flight survives is unknown until the journal is opened again (`reopen`, or a restart).
 * No caller was given the frame as durable.
 */
export class JournalPoisoned extends JournalError {
  constructor(partition: string, cause: unknown) {
    super(
      'journal-poisoned',
      `The journal of ${partition} stopped after a failed write (${messageOf(cause)}). The frame in flight may or may not ` +
        'survive; opening the journal again decides.',
      cause,
    );
  }
}

/** A later epoch owns the partition: this frame was certainly not written, and this owner must step down and replay. */
export class JournalFenced extends JournalError {
  readonly epoch: number;

  constructor(partition: string, epoch: number) {
    super(
      'journal-fenced',
      `Epoch ${epoch} of ${partition} was overtaken by another owner. Step down, drop state, replay.`,
    );
    this.epoch = epoch;
  }
}

/** The requested records were deleted with their archive, as the operator configured: nothing is damaged. */
export class RecordsDeleted extends JournalError {
  readonly firstSeq: number;

  constructor(partition: string, firstSeq: number) {
    super(
      'records-deleted',
      `Records 1 to ${firstSeq - 1} of ${partition} were deleted with their archive. Put all of its archived segments back ` +
        "into the partition's folder archive to read them.",
    );
    this.firstSeq = firstSeq;
  }
}

/** The caller broke the contract: appended after close, or while another frame was in flight. */
export class JournalMisuse extends JournalError {
  constructor(message: string) {
    super('journal-misuse', message);
  }
}
