// The hosts of all market partitions as one: each command and each fact goes to the partition of its market.
import { type MarketId, partitionOfMarket } from '@presage/protocol';
import { PartitionedReads } from './partitioned-reads.ts';
import type { MarketReads, NotedRecord, PartitionHost } from './ports.ts';

export class MarketHosts {
  /** In the order of their partitions, m0 first. */
  readonly all: readonly PartitionHost[];
  /** With a single partition, its engine itself. */
  readonly reads: MarketReads;

  constructor(all: readonly [PartitionHost, ...PartitionHost[]]) {
    this.all = all;
    this.reads = all.length === 1 ? all[0].reads : new PartitionedReads(all.map(({ reads }) => reads));
  }

  indexOf(marketId: MarketId): number {
    return partitionOfMarket(marketId, this.all.length);
  }

  of(marketId: MarketId): PartitionHost {
    return this.all[this.indexOf(marketId)]!;
  }

  /** What is about a whole chain goes to every partition, each of which has markets of it: told twice, it changes nothing. */
  async note(record: NotedRecord): Promise<void> {
    if ('marketId' in record) return this.of(record.marketId).note(record);
    await Promise.all(this.all.map((host) => host.note(record)));
  }

  start(): void {
    for (const host of this.all) host.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((host) => host.close()));
  }
}
