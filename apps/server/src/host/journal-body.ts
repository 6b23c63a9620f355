// Storage of the journal's partitions: files of the data directory, or a PostgreSQL database that several nodes share.
import { join } from 'node:path';
import {
  ConnectionLost,
  FileJournal,
  type FileJournalOptions,
  type FrameSeal,
  type Journal,
  JournalCorrupt,
  JournalLocked,
  PostgresJournal,
} from '@presage/journal';
import { DAY_MS } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import type { Config } from '../config.ts';
import type { OpenJournalDatabase } from '../store/journal-database.ts';

export interface JournalPlace {
  /** Without `journalUrl` the journal is in files of the data directory. */
  readonly config: Pick<Config, 'dataDir' | 'archiveDays' | 'journalUrl' | 'leaseSeconds'>;
  /** Address by which other nodes call this one. */
  readonly address: string;
  /** Replaces the machine's disk, for the simulator. */
  readonly disk?: Pick<FileJournalOptions, 'files' | 'probe' | 'segmentBytes' | 'growBytes'>;
  /** Connects, and checks whether the server keeps what it commits. */
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
}

export interface JournalBodyOptions extends JournalPlace {
  /** Called with the reason when this node waits for a partition. */
  readonly onStandBy: (reason: string) => void;
  readonly onWarning: (message: string) => void;
  /** Throws if this node has read from another database than the one that answers now. */
  readonly assertSame?: () => void;
  /** Aborted at shutdown; ends the wait for a partition. */
  readonly signal?: AbortSignal | undefined;
  /** Called when another node has taken a partition: this one must end. */
  readonly onFatal: (error: unknown) => void;
}

export interface PartitionExtras {
  readonly onSealed?: (frame: FrameSeal) => void;
  /** Archived segments before this sequence may be deleted; only a start reads the others, and it has a checkpoint. */
  readonly neededFromSeq?: () => number;
}

export interface JournalBody {
  open(partition: string, extras?: PartitionExtras): Promise<Journal>;
  close(): Promise<void>;
}

/** Interval of attempts to open: a free partition is taken long before anybody notices. */
const STAND_BY_MS = 200;

export async function openJournalBody(options: JournalBodyOptions): Promise<JournalBody> {
  const { config } = options;
  return config.journalUrl === undefined ? inFiles(config, options.disk) : inDatabase(config.journalUrl, options);
}

function inFiles({ dataDir, archiveDays }: JournalPlace['config'], disk: JournalPlace['disk']): JournalBody {
  return {
    open: (partition, { onSealed, neededFromSeq = () => Number.POSITIVE_INFINITY } = {}) => {
      const dir = join(dataDir, 'journal', partition);
      const retention = archiveDays > 0 ? { keptMs: archiveDays * DAY_MS, neededFromSeq } : undefined;
      const extras = { retention, ...(onSealed && { onSealed }), ...disk };
      return FileJournal.open({ dir, partition, verify: 'tail', archive: true, ...extras });
    },
    close: async () => undefined,
  };
}

async function inDatabase(url: string, options: JournalBodyOptions): Promise<JournalBody> {
  const { config, address, openDatabase, onWarning, onFatal, disk } = options;
  const leaseMs = config.leaseSeconds * 1_000;
  const { database, warnings, close } = await openDatabase(url);
  for (const warning of warnings) onWarning(warning);
  return {
    open: (partition, { onSealed } = {}) => {
      const markDir = join(config.dataDir, 'acknowledged', partition);
      const journal = {
        database,
        partition,
        address,
        leaseMs,
        markDir,
        onLost: onFatal,
        ...(disk?.files && { files: disk.files }),
        ...(onSealed && { onSealed }),
      };
      return standBy(() => PostgresJournal.open(journal), options);
    },
    close,
  };
}

/**
 * Waits until the current owner gives its partitions up or is silent for the length of a lease; also while the database does not answer,
 * and while it lacks records that this node acknowledged: nobody may write to it then, and the right one may come back.
 */
async function standBy(
  open: () => Promise<Journal>,
  { onStandBy, assertSame, signal }: Pick<JournalBodyOptions, 'onStandBy' | 'assertSame' | 'signal'>,
): Promise<Journal> {
  for (let told = ''; ; ) {
    try {
      return await open();
    } catch (error) {
      const reason = toStandByReason(error);
      if (reason === undefined) throw error;
      if (reason !== told) onStandBy(reason);
      told = reason;
      assertSame?.();
      await sleep(STAND_BY_MS, signal);
    }
  }
}

/** Undefined if waiting would not help. */
function toStandByReason(error: unknown): string | undefined {
  if (error instanceof JournalCorrupt) return `the partition is halted: ${error.reason}`;
  return error instanceof JournalLocked || error instanceof ConnectionLost ? error.message : undefined;
}
