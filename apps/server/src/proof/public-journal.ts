// The public journal: the market partitions, and the signed head of every partition.
import {
  type Hex,
  hashHeads,
  type OrderHash,
  type PartitionPlace,
  type Receipt,
  type SignedFrame,
} from '@presage/protocol';
import { type ProvenLog, type Publication, PublishedPartition } from './published-partition.ts';

interface PublicJournalOptions extends Publication {
  /** Market partitions, m0 first. Only their records are public: the others hold keys, tokens and transactions. */
  readonly markets: readonly ProvenLog[];
  /** Other partitions; a chain that joins late adds one. */
  readonly others: () => readonly ProvenLog[];
}

export class PublicJournal {
  readonly #options: PublicJournalOptions;
  readonly #partitions: readonly PublishedPartition[];

  constructor(options: PublicJournalOptions) {
    this.#options = options;
    this.#partitions = options.markets.map((log) => new PublishedPartition(log, options));
  }

  get publicKey(): Hex {
    return this.#options.receipts.publicKey;
  }

  get delaySeconds(): number {
    return this.#options.delayMs / 1_000;
  }

  /** Finds a public partition; undefined if it is not public or does not exist. */
  find(partition: string): PublishedPartition | undefined {
    return this.#partitions.find((each) => each.partition === partition);
  }

  /** Signed head of every partition that has a frame, and the hash of all. */
  heads(): { heads: SignedFrame[]; hash: Hex } {
    const { markets, others, receipts } = this.#options;
    const heads = [...markets, ...others()].flatMap(({ head }) => (head === undefined ? [] : receipts.sign(head)));
    return { heads, hash: hashHeads(heads) };
  }

  /** Receipt of a record; always with the same signature, since Ed25519 is deterministic. */
  async receiptAt({ partition, seq }: PartitionPlace): Promise<Receipt | undefined> {
    return this.#partitions[partition]?.receiptAt(seq);
  }

  /** Receipt of a recently accepted order; undefined if this node has not seen it or has dropped it. */
  recentReceipt(orderHash: OrderHash): Receipt | undefined {
    for (const partition of this.#partitions) {
      const receipt = partition.recentReceipt(orderHash);
      if (receipt !== undefined) return receipt;
    }
    return undefined;
  }

  get marketPartitionCount(): number {
    return this.#partitions.length;
  }

  async close(): Promise<void> {
    await Promise.all(this.#partitions.map((partition) => partition.close()));
  }
}
