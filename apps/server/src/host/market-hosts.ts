// The hosts of all market partitions as one: each command and each fact goes to the partition of its market.
import { partitionOfMarket } from '@presage/protocol';
import { HostCommands, type ReceiptPort } from './host-commands.ts';
import { PartitionedReads } from './partitioned-reads.ts';
import type { MarketReads, NotedRecord, PartitionHost } from './ports.ts';

export class MarketHosts {
  /** Hosts of the partitions of markets, m0 first. */
  readonly partitions: readonly PartitionHost[];
  /** Reads of durable frames only, used for all queries and streams. With a single partition this is its engine. */
  readonly reads: MarketReads;
  readonly commands: HostCommands;

  /** Without receipts nothing is signed. */
  constructor(partitions: readonly [PartitionHost, ...PartitionHost[]], receipts?: ReceiptPort) {
    const [first, ...others] = partitions;
    this.partitions = partitions;
    this.reads = others.length === 0 ? first.reads : new PartitionedReads(partitions.map(({ reads }) => reads));
    this.commands = new HostCommands(partitions, receipts);
  }

  /** Per partition, in order: the sequence that everything answered so far lies at or below. */
  readonly durableSeqs = (): readonly number[] => this.partitions.map(({ durableSeq }) => durableSeq);

  /**
   * Writes the records of one partition in one frame. A record about a whole chain goes to every partition, since each has markets of the
   * chain; repeating it changes nothing.
   */
  readonly note = async (...records: readonly NotedRecord[]): Promise<void> => {
    const { length: count } = this.partitions;
    const isOf = (record: NotedRecord, index: number) =>
      !('marketId' in record) || partitionOfMarket(record.marketId, count) === index;
    const parts = this.partitions.map((host, index) => ({ host, own: records.filter((each) => isOf(each, index)) }));
    await Promise.all(parts.flatMap(({ host, own }) => (own.length === 0 ? [] : [host.note(...own)])));
  };

  start(): void {
    for (const host of this.partitions) host.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.partitions.map((host) => host.close()));
  }
}
