// Contract wallets that stood by an order in the simulation and not on chain: each time that costs gas and somebody else's trade.
import type { TradeView } from '@presage/engine';
import type { TradeFault } from '../host/host-commands.ts';

/** Once may be chance: the owners changed their mind meanwhile. */
const MOST_DECEPTIONS = 2;

type Parties = Pick<TradeView, 'buyer' | 'seller'>;

export class DeceptiveWallets {
  readonly #deceptions = new Map<string, number>();

  add(wallet: string): void {
    this.#deceptions.set(wallet, this.#countOf(wallet) + 1);
  }

  /** Settles alone, and after all others: at worst it costs a transaction of its own. */
  isSuspect({ buyer, seller }: Parties): boolean {
    return this.#countOf(buyer) > 0 || this.#countOf(seller) > 0;
  }

  /** Why a trade is not sent at all; undefined while it may be. */
  findFault({ buyer, seller }: Parties): TradeFault | undefined {
    const isSpent = (wallet: string) => this.#countOf(wallet) >= MOST_DECEPTIONS;
    if (!isSpent(buyer) && !isSpent(seller)) return undefined;
    const faultParty = isSpent(buyer) ? 'buyer' : 'seller';
    return { faultParty, reason: `the wallet of the ${faultParty} twice refused on chain what it had signed before` };
  }

  get hasAny(): boolean {
    return this.#deceptions.size > 0;
  }

  #countOf(wallet: string): number {
    return this.#deceptions.get(wallet) ?? 0;
  }
}
