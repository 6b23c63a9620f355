// Cancels orders that are no longer covered: reads wallets whose means changed, and cancels their newest orders until the rest is covered.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainContext } from '../chains/chain-context.ts';
import type { RelayState } from '../relayer/relay-state.ts';
import type { ReadingQueue } from './reading-queue.ts';
import type { Wallet } from './wallet.ts';

export interface CoverKeeperOptions {
  readonly readings: ReadingQueue;
  readonly relays: Pick<RelayState, 'pendingAllowance'>;
  /** Nodes that do not cancel only read what wallets hold. */
  readonly isCancelling: boolean;
}

const RETRY_POLLS = 10;

export class CoverKeeper {
  readonly #context: ChainContext;
  readonly #options: CoverKeeperOptions;
  readonly #stale = new Set<Wallet>();
  #work: Promise<void> = Promise.resolve();
  #isWorking = false;
  #isClosed = false;

  constructor(context: ChainContext, options: CoverKeeperOptions) {
    this.#context = context;
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
        const { log, pollMs } = this.#context;
        log.warn({ error: String(error) }, 'wallets could not be read; retrying');
        for (const wallet of wallets) this.#stale.add(wallet);
        await sleep(pollMs * RETRY_POLLS, undefined, { ref: false });
      }
    }
    this.#isWorking = false;
  }

  async #cancelUncovered(wallet: Wallet): Promise<void> {
    const { readings, relays, isCancelling } = this.#options;
    // Before the reading: a permit that is mined meanwhile is in the one or in the other.
    const pending = relays.pendingAllowance(wallet.address);
    await readings.read(wallet);
    if (!isCancelling) return;
    const { commands } = this.#context;
    const uncovered = wallet.findUncovered(pending);
    await Promise.all(uncovered.map(({ marketId, orderHash }) => commands.cancelUncovered(marketId, orderHash)));
  }
}
