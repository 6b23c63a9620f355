// Reads the journal's files, their partitions and records without locking out the service.
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FrameCursor, isPartitionName } from '@presage/journal';
import { decodeRecord, type JournalRecord } from '@presage/protocol';
import { UsageError } from '../exit-codes.ts';
import type { Environment } from '../key-files.ts';

export interface DataDirOption {
  readonly dataDir?: string;
}

export interface PlacedRecord {
  readonly partition: string;
  readonly seq: number;
  /** Time of the frame that holds the record. */
  readonly timeMs: number;
  readonly record: JournalRecord;
}

/** Places of the journal in a service's data directory, and in a sandbox's, which keeps its chain next to the service. */
const PLACES = ['journal', join('service', 'journal')];
const MARKETS = /^m\d+$/;
const POLL_MS = 100;

export function dataDirOf({ dataDir }: DataDirOption, env: Environment): string {
  return resolve(dataDir ?? (env.PRESAGE_DATA_DIR || './data'));
}

export class JournalDir {
  readonly dir: string;
  readonly partitions: readonly string[];

  private constructor(dir: string, partitions: readonly string[]) {
    this.dir = dir;
    this.partitions = partitions;
  }

  static async open(options: DataDirOption, env: Environment): Promise<JournalDir> {
    const root = dataDirOf(options, env);
    for (const dir of PLACES.map((place) => join(root, place))) {
      const names = await readdir(dir).catch(() => []);
      const partitions = names.filter(isPartitionName).sort();
      if (partitions.length > 0) return new JournalDir(dir, partitions);
    }
    throw new UsageError(
      `there is no journal in ${root}`,
      'Name the data directory with --data-dir or PRESAGE_DATA_DIR.',
    );
  }

  choose(partition: string | undefined): readonly string[] {
    if (partition === undefined) return this.partitions;
    if (this.partitions.includes(partition)) return [partition];
    throw new UsageError(`there is no partition "${partition}"`, `There are ${this.partitions.join(', ')}.`);
  }

  get marketPartitions(): readonly string[] {
    return this.partitions.filter((name) => MARKETS.test(name));
  }

  pathOf(partition: string): string {
    return join(this.dir, partition);
  }

  async *read(partition: string, fromSeq = 1): AsyncGenerator<PlacedRecord, void, void> {
    yield* readPlaced(partition, new FrameCursor({ dir: this.pathOf(partition), fromSeq }));
  }

  /** Yields existing records, then new ones, until the signal aborts. */
  async *follow(partition: string, fromSeq: number, signal: AbortSignal): AsyncGenerator<PlacedRecord, void, void> {
    const cursor = new FrameCursor({ dir: this.pathOf(partition), fromSeq });
    while (!signal.aborted) {
      yield* readPlaced(partition, cursor);
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function* readPlaced(partition: string, cursor: FrameCursor): AsyncGenerator<PlacedRecord, void, void> {
  for await (const { firstSeq, timeMs, records } of cursor.read()) {
    for (const [at, bytes] of records.entries()) {
      yield { partition, seq: firstSeq + at, timeMs, record: decodeRecord(bytes) };
    }
  }
}
