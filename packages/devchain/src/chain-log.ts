// The chain's memory behind one small interface: ordered records, durable once `append` resolves.
import type { ChainRecord } from './chain-record.ts';

export interface ChainLog {
  /** How many records were found when the log was opened. */
  readonly count: number;
  /** The records found at opening, in order, from this sequence on; the first has sequence 1. */
  read(fromSeq?: number): AsyncIterable<ChainRecord>;
  /** Keeps the order of calls; resolves with the record's sequence when it and all before it are durable. */
  append(record: ChainRecord): Promise<number>;
  close(): Promise<void>;
}

/** Stores nothing: for a chain that lasts as long as its process. */
export class NoChainLog implements ChainLog {
  readonly count = 0;

  async *read(): AsyncIterable<ChainRecord> {}

  async append(_record: ChainRecord): Promise<number> {
    return 0;
  }

  async close(): Promise<void> {}
}
