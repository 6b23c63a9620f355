// Where the partitions of the journal are: files of the data directory, or a PostgreSQL that several nodes share.
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
  /** Without a URL the journal is in files of the data directory. */
  readonly config: Pick<Config, 'dataDir' | 'archiveDays' | 'journalUrl' | 'leaseSeconds'>;
  /** How the others call this node. */
  readonly address: string;
  /** Another disk than the machine's, for the simulator. */
  readonly disk?: Pick<FileJournalOptions, 'files' | 'probe' | 'segmentBytes' | 'growBytes'>;
  /** Connects, and looks at whether the server keeps what it commits. */
  readonly openDatabase: (url: string) => Promise<OpenJournalDatabase>;
}

export interface JournalBodyOptions extends JournalPlace {
  /** This node waits for a partition, and for what reason. */
  readonly onStandBy: (reason: string) => void;
  readonly onWarning: (message: string) => void;
  /** Throws where what this node has read so far is of another database than the one that answers now. */
  readonly assertSame?: () => void;
  /** Aborted when nobody waits for the journal any more. */
  readonly signal?: AbortSignal | undefined;
  /** Another node has taken a partition: this one must end. */
  readonly onFatal: (error: unknown) => void;
}

export interface PartitionExtras {
  readonly onSealed?: (frame: FrameSeal) => void;
  /** Archived segments before it may be deleted; nobody but a start reads the others, and it has a checkpoint. */
  readonly neededFromSeq?: () => number;
}

export interface JournalBody {
  open(partition: string, extras?: PartitionExtras): Promise<Journal>;
  close(): Promise<void>;
}

/** Looked for this often, a partition that became free is taken long before anybody has noticed. */
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
 * A second node waits here until the first gives its partitions up or is silent for the length of a lease; also while the database
 * does not answer, and while it has not what this node acknowledged: then nobody may write on it, and the right one may come back.
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
