// Durable records of the chain behind one small interface; in a directory, or nowhere.

import { join } from 'node:path';
import { FileJournal, GroupCommit } from '@presage/journal';
import { type ChainRecord, encodeRecord, parseRecord } from './chain-record.ts';

export interface ChainLog {
  /** Number of records found when the log was opened. */
  readonly count: number;
  /** The records found at opening, in order, starting at this sequence; the first has sequence 1. */
  read(fromSeq?: number): AsyncIterable<ChainRecord>;
  /** Keeps the order of calls; resolves with the record's sequence when it and all earlier ones are durable. */
  append(record: ChainRecord): Promise<number>;
  close(): Promise<void>;
}

/** Stores nothing: for a chain that lives as long as its process. */
export class NoChainLog implements ChainLog {
  readonly count = 0;

  async *read(): AsyncIterable<ChainRecord> {}

  async append(_record: ChainRecord): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {}
}

const PARTITION = 'sandbox-chain';

/** Stores records in a directory: a Presage journal, which locks it, cuts a torn tail and refuses corruption. */
export class JournalChainLog implements ChainLog {
  readonly count: number;
  readonly #journal: FileJournal;
  readonly #commits: GroupCommit;

  private constructor(journal: FileJournal) {
    this.#journal = journal;
    this.#commits = new GroupCommit({ journal, now: Date.now });
    this.count = journal.lastSeq;
  }

  static async open(dataDir: string): Promise<JournalChainLog> {
    // Records are checked as a start reads them; with a snapshot that is only the end of the log.
    const options = { dir: join(dataDir, 'log'), partition: PARTITION, verify: 'tail' } as const;
    return new JournalChainLog(await FileJournal.open(options));
  }

  async *read(fromSeq = 1): AsyncIterable<ChainRecord> {
    for await (const frame of this.#journal.read(fromSeq)) {
      for (const record of frame.records) yield parseRecord(record);
    }
  }

  async append(record: ChainRecord): Promise<number> {
    return (await this.#commits.push([encodeRecord(record)])).lastSeq;
  }

  async close(): Promise<void> {
    await this.#commits.close();
    await this.#journal.close();
  }
}
