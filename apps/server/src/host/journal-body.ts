// Where the partitions of the journal are: files of the data directory, or a PostgreSQL that several nodes share.
import { join } from 'node:path';
import {
  FileJournal,
  type FileJournalOptions,
  type FrameSeal,
  type Journal,
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
  readonly onProgress: (step: string) => void;
  readonly onWarning: (message: string) => void;
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
  const { config, address, openDatabase, onProgress, onWarning, onFatal } = options;
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
        ...(onSealed && { onSealed }),
      };
      return standBy(() => PostgresJournal.open(journal), onProgress);
    },
    close,
  };
}

/** A second node waits here until the first gives its partitions up or is silent for the length of a lease. */
async function standBy(open: () => Promise<Journal>, onProgress: (step: string) => void): Promise<Journal> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof JournalLocked)) throw error;
      if (!isTold) onProgress(`standing by: ${error.message}`);
      await sleep(STAND_BY_MS);
    }
  }
}
