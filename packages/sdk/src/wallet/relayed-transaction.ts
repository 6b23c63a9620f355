// A transaction that the operator sent for a wallet: its hash, and how to wait for its confirmation.
import { Backoff, sleep } from '@presage/runtime';
import { PresageTransactionError } from '../errors.ts';
import type { CallOptions } from '../http.ts';
import type { RelayedTransactionStatus } from '../types.ts';

export type ReadTransaction = (txHash: string, options?: CallOptions) => Promise<RelayedTransactionStatus>;

const POLL = { firstMs: 150, longestMs: 2_000 };

export class RelayedTransaction {
  /** Empty when someone else's unknown transaction already had the same effect. */
  readonly txHash: string;
  readonly #read: ReadTransaction;

  constructor(txHash: string, read: ReadTransaction) {
    this.txHash = txHash;
    this.#read = read;
  }

  /** Resolves when the transaction is confirmed; throws PresageTransactionError when it failed. */
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
