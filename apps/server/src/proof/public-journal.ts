// The journal as anyone may read it: the partitions of the markets, and the signed head of every partition.
import { type Hex, hashHeads, type PartitionPlace, type Receipt, type SignedFrame } from '@presage/protocol';
import { type ProvenLog, PublishedPartition } from './published-partition.ts';
import type { Receipts } from './receipts.ts';

interface PublicJournalOptions {
  /** The only ones whose records are public, m0 first; keys, tokens and transactions are in the others. */
  readonly markets: readonly ProvenLog[];
  /** A chain that answers late brings one more. */
  readonly others: () => readonly ProvenLog[];
  readonly receipts: Receipts;
  readonly nowMs: () => number;
  /** Records are published when they are this old. */
  readonly delayMs: number;
}

export class PublicJournal {
  readonly #options: PublicJournalOptions;
  readonly #partitions: readonly PublishedPartition[];

  constructor(options: PublicJournalOptions) {
    const { markets, receipts, nowMs, delayMs } = options;
    this.#options = options;
    this.#partitions = markets.map((log) => new PublishedPartition({ log, receipts, nowMs, delayMs }));
  }

  get publicKey(): Hex {
    return this.#options.receipts.publicKey;
  }

  get delaySeconds(): number {
    return this.#options.delayMs / 1_000;
  }

  /** Undefined of a partition that is not public, or not there. */
  find(partition: string): PublishedPartition | undefined {
    return this.#partitions.find((each) => each.partition === partition);
  }

  /** The newest frame of every partition that has one. */
  heads(): { heads: SignedFrame[]; hash: Hex } {
    const { markets, others, receipts } = this.#options;
    const heads = [...markets, ...others()].flatMap(({ head }) => (head === undefined ? [] : receipts.sign(head)));
    return { heads, hash: hashHeads(heads) };
  }

  /** Of a record that is in the journal: the same signature as the first time, since Ed25519 draws nothing. */
  async receiptAt({ partition, seq }: PartitionPlace): Promise<Receipt | undefined> {
    return this.#partitions[partition]?.receiptAt(seq);
  }

  get marketPartitionCount(): number {
    return this.#partitions.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#partitions.map((partition) => partition.close()));
  }
}
