// A transaction that the operator sent for a wallet: its hash, and how to wait for the chain.
import { PresageTransactionError } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import type { RelayedTransactionStatus } from '../types.ts';
import { Backoff, sleep } from '../waiting.ts';

export type ReadTransaction = (txHash: string, options?: CallOptions) => Promise<RelayedTransactionStatus>;

const POLL = { firstMs: 150, longestMs: 2_000 };

export class RelayedTransaction {
  /** Empty when somebody else had the same effect already, and their transaction is not known. */
  readonly txHash: string;
  readonly #read: ReadTransaction;

  constructor(txHash: string, read: ReadTransaction) {
    this.txHash = txHash;
    this.#read = read;
  }

  /** Resolves when the chain has confirmed it; throws PresageTransactionError when it failed there. */
  async wait({ signal }: CallOptions = {}): Promise<void> {
    const backoff = new Backoff(POLL);
    while (this.txHash !== '') {
      const seen = await this.#read(this.txHash, { signal });
      if (seen.found && seen.status === 'confirmed') return;
      if (seen.found && seen.status === 'failed') throw new PresageTransactionError(this.txHash, seen.error);
      await sleep(backoff.nextMs(), signal);
    }
  }
}
