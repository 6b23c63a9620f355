// The chain's memory behind one small interface: ordered records, durable once `append` resolves.
import type { ChainRecord } from './chain-record.ts';

export interface ChainLog {
  /** How many records were found when the log was opened. */
  readonly count: number;
  /** The records found at opening, in order. */
  read(): AsyncIterable<ChainRecord>;
  /** Keeps the order of calls; resolves when this record and all before it are durable. */
  append(record: ChainRecord): Promise<void>;
  close(): Promise<void>;
}

/** Remembers nothing: for a chain that lives as long as its process. */
export class ForgetfulChainLog implements ChainLog {
  readonly count = 0;

  async *read(): AsyncIterable<ChainRecord> {}

  async append(_record: ChainRecord): Promise<void> {}

  async close(): Promise<void> {}
}
