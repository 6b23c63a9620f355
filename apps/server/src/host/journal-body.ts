// Where the partitions of the journal are: files of the data directory, or a PostgreSQL that several nodes share.
import { join } from 'node:path';
import { FileJournal, type FrameSeal, type Journal, JournalLocked, PostgresJournal } from '@presage/journal';
import { sleep } from '@presage/runtime';
import { openJournalDatabase } from './journal-database.ts';

export interface SharedJournal {
  readonly url: string;
  readonly leaseMs: number;
  /** How the others call this node. */
  readonly address: string;
}

export interface JournalBodyOptions {
  readonly dataDir: string;
  readonly shared: SharedJournal | undefined;
  readonly onProgress: (step: string) => void;
  readonly onWarning: (message: string) => void;
  /** Another node has taken a partition: this one must end. */
  readonly onFatal: (error: unknown) => void;
}

export interface JournalBody {
  open(partition: string, onSealed: (frame: FrameSeal) => void): Promise<Journal>;
  close(): Promise<void>;
}

/** Looked for this often, a partition that became free is taken long before anybody has noticed. */
const STAND_BY_MS = 200;

export async function openJournalBody(options: JournalBodyOptions): Promise<JournalBody> {
  return options.shared === undefined ? inFiles(options.dataDir) : inDatabase({ ...options, shared: options.shared });
}

function inFiles(dataDir: string): JournalBody {
  return {
    open: (partition, onSealed) => {
      const dir = join(dataDir, 'journal', partition);
      return FileJournal.open({ dir, partition, verify: 'tail', archive: true, onSealed });
    },
    close: async () => undefined,
  };
}

async function inDatabase(options: JournalBodyOptions & { shared: SharedJournal }): Promise<JournalBody> {
  const { dataDir, shared, onProgress, onWarning, onFatal } = options;
  const { leaseMs, address } = shared;
  const { database, warnings, close } = await openJournalDatabase(shared.url);
  for (const warning of warnings) onWarning(warning);
  return {
    open: (partition, onSealed) => {
      const markDir = join(dataDir, 'acknowledged', partition);
      const journal = { database, partition, address, leaseMs, markDir, onSealed, onLost: onFatal };
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
