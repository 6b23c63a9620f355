// Cancels orders that are no longer covered: reads wallets whose means changed, and cancels their newest orders until the rest is covered.
import { RepeatedWork } from '@presage/runtime';
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
  readonly #judgements: RepeatedWork<Wallet>;

  constructor(context: ChainContext, options: CoverKeeperOptions) {
    const { log, pollMs } = context;
    this.#context = context;
    this.#options = options;
    this.#judgements = new RepeatedWork({
      work: (wallets) => Promise.all(wallets.map((wallet) => this.#cancelUncovered(wallet))),
      onTrouble: (error) => log.warn({ error: String(error) }, 'wallets could not be read; retrying'),
      pauseMs: pollMs * RETRY_POLLS,
    });
  }

  /** Judges the wallets' orders by a new reading of the chain; while the chain does not answer, nothing is cancelled. */
  judge(wallets: readonly Wallet[]): void {
    this.#judgements.addAll(wallets);
  }

  close(): Promise<void> {
    return this.#judgements.close();
  }

  async #cancelUncovered(wallet: Wallet): Promise<void> {
    const { readings, relays, isCancelling } = this.#options;
    // Before the reading, so that a permit mined in between is in one of the two.
    const pending = relays.pendingAllowance(wallet.address);
    await readings.read(wallet);
    if (!isCancelling) return;
    const { commands } = this.#context;
    const uncovered = wallet.findUncovered(pending);
    await Promise.all(uncovered.map(({ marketId, orderHash }) => commands.cancelUncovered(marketId, orderHash)));
  }
}
