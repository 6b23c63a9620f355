// The two places a journal can be in, as `presage journal copy` opens them: each is locked while it is read or written.
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import {
  type AdoptingJournal,
  type CopyProgress,
  copyJournal,
  FileJournal,
  isPartitionName,
  listPartitions,
  PostgresJournal,
} from '@presage/journal';
import { findJournal } from './journal-servers.ts';

export interface JournalPlace {
  list(): Promise<readonly string[]>;
  open(partition: string): Promise<AdoptingJournal>;
  close(): Promise<void>;
}

export async function openPlace(place: string): Promise<JournalPlace> {
  return /^postgres(ql)?:\/\//.test(place) ? openDatabase(place) : openFiles(resolve(place));
}

/** A sandbox keeps its chain next to the service. */
async function openFiles(root: string): Promise<JournalPlace> {
  const ofSandbox = join(root, 'service', 'journal');
  const isSandbox = (await readdir(ofSandbox).catch(() => [])).length > 0;
  const dir = isSandbox ? ofSandbox : join(root, 'journal');
  return {
    list: async () => (await readdir(dir).catch(() => [])).filter(isPartitionName).sort(),
    open: (partition) => FileJournal.open({ dir: join(dir, partition), partition }),
    close: async () => undefined,
  };
}

async function openDatabase(url: string): Promise<JournalPlace> {
  const { database, close } = await findJournal(url, { standbyToo: false });
  const address = `presage journal copy on ${hostname()}`;
  return {
    list: () => listPartitions(database),
    open: (partition) => PostgresJournal.open({ database, partition, address }),
    close,
  };
}

export interface CopiedPartition {
  readonly lastSeq: number;
  readonly headHash: string;
}

export async function copyPartition(
  from: JournalPlace,
  to: JournalPlace,
  { partition, progress }: { partition: string; progress: (progress: CopyProgress) => void },
): Promise<CopiedPartition> {
  const source = await from.open(partition);
  try {
    const target = await to.open(partition);
    try {
      await copyJournal(source, target, progress);
      const { lastSeq, headHash } = target;
      return { lastSeq, headHash };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
