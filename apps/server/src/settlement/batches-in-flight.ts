// Batches that were sent and are not final: which are unmined, and which wallets they bind.
import type { OperationView } from '@presage/chain';
import type { BatchFollower } from './batch-follower.ts';

/** Stages in which the node may not have the transaction. */
const BEFORE_NODE = new Set(['reserved', 'signed', 'retrying']);

export class BatchesInFlight {
  readonly #followed = new Map<string, BatchFollower>();
  readonly #status: (batchId: string) => OperationView | undefined;

  constructor(status: (batchId: string) => OperationView | undefined) {
    this.#status = status;
  }

  add(batch: BatchFollower): void {
    this.#followed.set(batch.record.batchId, batch);
  }

  get(batchId: string): BatchFollower | undefined {
    return this.#followed.get(batchId);
  }

  delete(batchId: string): void {
    this.#followed.delete(batchId);
  }

  /** Batches in the order they were sent. */
  all(): BatchFollower[] {
    return [...this.#followed.values()];
  }

  ids(): IterableIterator<string> {
    return this.#followed.keys();
  }

  /** Number of batches that are not mined, or have a fill that is not judged. */
  get unfinished(): number {
    return [...this.#followed.values()].filter((batch) => !batch.isQuiet).length;
  }

  /** Batches in the order they were sent. */
  unmined(): BatchFollower[] {
    return this.all().filter((batch) => !batch.isMined && batch.isOpen);
  }

  unminedWallets(): Set<string> {
    return new Set(this.unmined().flatMap((batch) => batch.unminedWallets()));
  }

  /** Wallets in batches that the node is not known to have. */
  absentWallets(): Set<string> {
    const absent = this.unmined().filter(({ record: { batchId } }) =>
      BEFORE_NODE.has(this.#status(batchId)?.stage ?? 'reserved'),
    );
    return new Set(absent.flatMap((batch) => batch.unminedWallets()));
  }

  unjudgedWallets(): string[] {
    return [...this.#followed.values()].flatMap((batch) => batch.unjudgedWallets());
  }

  /** Gas of the unmined batches, for the limits of the pipeline. */
  gasInFlight(gasOf: (fills: number) => bigint): { readonly gas: bigint }[] {
    return this.unmined().map(({ record }) => ({ gas: gasOf(record.trades.length) }));
  }

  nonceOf(batch: BatchFollower): number | undefined {
    return this.#status(batch.record.batchId)?.nonce;
  }
}
