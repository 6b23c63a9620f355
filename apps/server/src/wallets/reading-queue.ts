// Reads wallets one batch at a time: callers that come during a reading share the next one, which begins after their call.
import { ContractReverted } from '@presage/chain';
import { type Order, PresageError } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import type { HoldingsReader } from './holdings-reader.ts';
import type { Wallet } from './wallet.ts';

/** Limit of wallets in a reading, so that it fits into one answer of a node. */
const MAX_WALLETS = 200;

interface PendingReading {
  readonly orders: Order[];
  readonly waiters: Waiter[];
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class ReadingQueue {
  readonly #reader: Pick<HoldingsReader, 'read'>;
  readonly #pending = new Map<Wallet, PendingReading>();
  #isWorking = false;

  constructor(reader: Pick<HoldingsReader, 'read'>) {
    this.#reader = reader;
  }

  /** Resolves when the wallet has its holdings of a moment after this call; rejects with chain_unavailable. */
  read(wallet: Wallet, order?: Order): Promise<void> {
    return new Promise((resolve, reject) => {
      const reading = this.#pending.get(wallet) ?? { orders: [], waiters: [] };
      if (order !== undefined) reading.orders.push(order);
      reading.waiters.push({ resolve, reject });
      this.#pending.set(wallet, reading);
      if (!this.#isWorking) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (this.#pending.size > 0) {
      const batch = [...this.#pending].slice(0, MAX_WALLETS);
      for (const [wallet] of batch) this.#pending.delete(wallet);
      await this.#readTogether(batch);
    }
    this.#isWorking = false;
  }

  /** Reads a batch. If a contract reverts for one wallet, the batch is split in halves until that wallet is alone, so that the others are read. */
  async #readTogether(batch: readonly (readonly [Wallet, PendingReading])[]): Promise<void> {
    const waiters = batch.flatMap(([, pending]) => pending.waiters);
    try {
      await this.#reader.read(batch.map(([wallet, { orders }]) => ({ wallet, orders })));
      for (const { resolve } of waiters) resolve();
    } catch (error) {
      if (error instanceof ContractReverted && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2);
        await this.#readTogether(batch.slice(0, middle));
        await this.#readTogether(batch.slice(middle));
        return;
      }
      const fault = new PresageError('chain_unavailable', { reason: messageOf(error) });
      for (const { reject } of waiters) reject(fault);
    }
  }
}
