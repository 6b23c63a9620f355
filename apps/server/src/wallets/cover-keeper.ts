// Cancels orders that are no longer covered: reads wallets whose means changed, and cancels their newest orders until the rest is covered.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, MarketId, OrderHash } from '@presage/protocol';
import type { ReadingQueue } from './reading-queue.ts';
import type { Wallet } from './wallet.ts';

export interface CoverKeeperOptions {
  readonly readings: ReadingQueue;
  /** What permits that came with accepted orders will allow once they are mined; 0 when there is none. */
  readonly pendingAllowance: (wallet: Address) => bigint;
  readonly cancel: (marketId: MarketId, orderHash: OrderHash) => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
  readonly retryMs: number;
}

export class CoverKeeper {
  readonly #options: CoverKeeperOptions;
  readonly #stale = new Set<Wallet>();
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isClosed = false;

  constructor(options: CoverKeeperOptions) {
    this.#options = options;
  }

  /** Their orders are judged on what the chain says from now on; while it says nothing, nothing is cancelled. */
  judge(wallets: readonly Wallet[]): void {
    for (const wallet of wallets) this.#stale.add(wallet);
    if (this.#isWorking) return;
    this.#isWorking = true;
    this.#work = this.#judgeStale();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#work;
  }

  async #judgeStale(): Promise<void> {
    while (this.#stale.size > 0 && !this.#isClosed) {
      const wallets = [...this.#stale];
      this.#stale.clear();
      try {
        await Promise.all(wallets.map((wallet) => this.#cancelUncovered(wallet)));
      } catch (error) {
        this.#options.onTrouble(error);
        for (const wallet of wallets) this.#stale.add(wallet);
        await sleep(this.#options.retryMs, undefined, { ref: false });
      }
    }
    this.#isWorking = false;
  }

  async #cancelUncovered(wallet: Wallet): Promise<void> {
    const { readings, pendingAllowance, cancel } = this.#options;
    // Before the reading: a permit that is mined meanwhile is in the one or in the other.
    const pending = pendingAllowance(wallet.address);
    await readings.read(wallet);
    const uncovered = wallet.findUncovered(pending);
    await Promise.all(uncovered.map(({ marketId, orderHash }) => cancel(marketId, orderHash)));
  }
}
