// Log of a simulated chain: records in memory, starting with those of a prepared chain.
import type { ChainLog, ChainRecord } from '@presage/devchain/in-process';

export class MemoryChainLog implements ChainLog {
  readonly records: ChainRecord[];
  readonly count: number;

  constructor(former: readonly ChainRecord[] = []) {
    this.records = [...former];
    this.count = former.length;
  }

  async *read(fromSeq = 1): AsyncIterable<ChainRecord> {
    yield* this.records.slice(fromSeq - 1, this.count);
  }

  async append(record: ChainRecord): Promise<number> {
    return this.records.push(record);
  }

  async close(): Promise<void> {}
}
