// Cancels orders on the book despite their wallet's block: from a node that did not know of it yet, from a failed fill, or left when a kill interrupted it.
import type { Address, JournalRecord } from '@presage/protocol';
import type { HostCommands } from '../host/host-commands.ts';
import type { MarketReads } from '../host/ports.ts';
import type { Log } from '../log/log.ts';
import type { OperatorState } from './operator-state.ts';
import type { ActSource, UnfinishedAct } from './unfinished-acts.ts';

export interface BlockedOrdersOptions {
  readonly state: Pick<OperatorState, 'blocked'>;
  readonly reads: Pick<MarketReads, 'openOrders' | 'order'>;
  readonly commands: Pick<HostCommands, 'cancelOrders'>;
  /** Whether this node carries out operators' actions; one of several nodes is enough. */
  readonly isActing: () => boolean;
  readonly log: Pick<Log, 'warn'>;
}

export class BlockedOrders implements ActSource {
  readonly #options: BlockedOrdersOptions;
  /** Blocked wallets known to have no open orders; checking one asks every market. */
  readonly #clean = new Set<Address>();

  constructor(options: BlockedOrdersOptions) {
    this.#options = options;
  }

  unfinished(): UnfinishedAct[] {
    const { state, reads } = this.#options;
    for (const wallet of this.#clean) if (!state.blocked.has(wallet)) this.#clean.delete(wallet);
    const left: UnfinishedAct[] = [];
    for (const wallet of state.blocked.keys()) {
      if (this.#clean.has(wallet)) continue;
      if (reads.openOrders({ trader: wallet, limit: 1 }).length === 0) this.#clean.add(wallet);
      else left.push({ subject: { wallet }, finish: () => this.#cancel(wallet) });
    }
    return left;
  }

  /** Applies a durable record of a market. */
  follow(record: JournalRecord): void {
    const { state, isActing, log } = this.#options;
    if (state.blocked.size === 0) return;
    const wallet = this.#traderOf(record);
    if (wallet === undefined || !state.blocked.has(wallet)) return;
    this.#clean.delete(wallet);
    if (!isActing()) return;
    this.#cancel(wallet).catch((error: unknown) => {
      log.warn({ wallet, error: String(error) }, 'orders of a blocked wallet could not be cancelled; retrying');
    });
  }

  /** Trader whose order the record put on the book. */
  #traderOf(record: JournalRecord): Address | undefined {
    if (record.type === 'order-accepted') return record.order.trader;
    // A fill failed after the block, by the other party's fault.
    if (record.type === 'order-restored') return this.#options.reads.order(record.orderHash)?.signed.order.trader;
    return undefined;
  }

  async #cancel(wallet: Address): Promise<void> {
    const { commands, log } = this.#options;
    const { cancelled } = await commands.cancelOrders(wallet, 'wallet_blocked');
    if (cancelled.length === 0) return;
    log.warn({ wallet, orders: cancelled.length }, 'orders of a blocked wallet cancelled: the block had missed them');
  }
}
