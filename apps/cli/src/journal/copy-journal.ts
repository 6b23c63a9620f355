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
  type JournalDatabase,
  listPartitions,
  PostgresJournal,
} from '@presage/journal';
import postgres from 'postgres';

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

/** A shared journal's database, for a look or a copy. */
export function connectJournal(url: string): { readonly database: JournalDatabase; close(): Promise<void> } {
  const sql = postgres(url, { max: 2, onnotice: () => undefined, connection: { synchronous_commit: 'on' } });
  const database: JournalDatabase = {
    query: async <Row>(statement: string, parameters: readonly unknown[]) =>
      (await sql.unsafe(statement, [...parameters] as never[])) as unknown as readonly Row[],
  };
  return { database, close: () => sql.end({ timeout: 1 }) };
}

function openDatabase(url: string): JournalPlace {
  const { database, close } = connectJournal(url);
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
