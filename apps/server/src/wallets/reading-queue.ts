// One reading of the chain at a time: callers that ask while one is under way share the next, which begins after they asked.
import type { Order } from '@presage/protocol';
import type { HoldingsReader } from './holdings-reader.ts';
import type { Wallet } from './wallet.ts';

/** A reading stays small enough for one answer of a node. */
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
  readonly #reader: HoldingsReader;
  readonly #pending = new Map<Wallet, PendingReading>();
  #isWorking = false;

  constructor(reader: HoldingsReader) {
    this.#reader = reader;
  }

  /** Resolves when the wallet knows what it held at some moment after this call; rejects with chain_unavailable. */
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
      try {
        await this.#reader.read(batch.map(([wallet, { orders }]) => ({ wallet, orders })));
        for (const { resolve } of batch.flatMap(([, { waiters }]) => waiters)) resolve();
      } catch (error) {
        for (const { reject } of batch.flatMap(([, { waiters }]) => waiters)) reject(error);
      }
    }
    this.#isWorking = false;
  }
}
