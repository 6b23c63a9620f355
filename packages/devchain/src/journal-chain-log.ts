// The chain's log in a directory: a Presage journal, which locks it, cuts a torn tail and refuses corruption.
import { join } from 'node:path';
import { FileJournal, GroupCommit } from '@presage/journal';
import type { ChainLog } from './chain-log.ts';
import { type ChainRecord, encodeRecord, parseRecord } from './chain-record.ts';

const PARTITION = 'sandbox-chain';

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
    // What a start reads is checked as it is read; with a snapshot that is the end of the log alone.
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
