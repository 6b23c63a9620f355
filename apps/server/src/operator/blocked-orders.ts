// Cancels orders of blocked wallets that the block itself has missed: those of a node that had not learned of it, and all after a kill between its record and its cancels.
import type { Address, JournalRecord } from '@presage/protocol';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { OperatorState } from './operator-state.ts';

export interface BlockedOrdersOptions {
  readonly state: Pick<OperatorState, 'blocked'>;
  readonly reads: Pick<MarketReads, 'openOrders'>;
  readonly commands: Pick<HostCommands, 'cancelOrders'>;
  /** Whether operators act at this node: one of several is enough. */
  readonly isActing: () => boolean;
  readonly log: Pick<Log, 'warn'>;
}

export class BlockedOrders {
  readonly #options: BlockedOrdersOptions;

  constructor(options: BlockedOrdersOptions) {
    this.#options = options;
  }

  start(): void {
    const { state, reads } = this.#options;
    for (const wallet of state.blocked.keys())
      if (reads.openOrders({ trader: wallet }).length > 0) this.#cancel(wallet);
  }

  /** A record of a market became durable. */
  follow(record: JournalRecord): void {
    if (record.type !== 'order-accepted') return;
    const { trader } = record.order;
    if (this.#options.state.blocked.has(trader)) this.#cancel(trader);
  }

  #cancel(wallet: Address): void {
    const { commands, isActing, log } = this.#options;
    if (!isActing()) return;
    commands.cancelOrders(wallet, 'wallet_blocked').catch((error: unknown) => {
      log.warn({ wallet, error: String(error) }, 'orders of a blocked wallet could not be cancelled');
    });
  }
}
