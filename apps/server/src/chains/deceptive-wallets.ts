// Contract wallets that accepted an order in the simulation and refused it on chain: each time costs gas and somebody else's trade.
import type { TradeView } from '@presage/engine';
import type { DeceptionRecord } from '@presage/protocol';
import type { TradeFault } from '../host/host-commands.ts';

/** The first deception may be chance: the wallet's owners may have changed their mind in between. */
const MOST_DECEPTIONS = 2;
/** Bounds memory. Each wallet costs its owner a contract and a filled order; the oldest are evicted first. */
const MAX_WALLETS = 10_000;

type Parties = Pick<TradeView, 'buyer' | 'seller'>;

/** A fold of the chain's partition, so that a restart or another settler treats the wallets the same. */
export class DeceptiveWallets {
  /** First deceptions of each wallet, at most `MOST_DECEPTIONS`. */
  readonly #deceptions = new Map<string, readonly DeceptionRecord[]>();
  readonly #maxWallets: number;

  constructor(maxWallets = MAX_WALLETS) {
    this.#maxWallets = maxWallets;
  }

  /** The same attempt may be noted again after a failure in between; it counts once. */
  apply(deception: DeceptionRecord): void {
    const { wallet, tradeId, attempt } = deception;
    const known = this.#deceptions.get(wallet) ?? [];
    const isKnown = known.some((each) => each.tradeId === tradeId && each.attempt === attempt);
    if (isKnown || known.length === MOST_DECEPTIONS) return;
    this.#deceptions.set(wallet, [...known, deception]);
    const [oldest] = this.#deceptions.keys();
    if (this.#deceptions.size > this.#maxWallets && oldest !== undefined) this.#deceptions.delete(oldest);
  }

  /** Notes that restore this state when they are applied. */
  notes(): DeceptionRecord[] {
    return [...this.#deceptions.values()].flat();
  }

  /** Whether a trade settles alone and after all others, so that a refusal costs only a transaction of its own. */
  isSuspect({ buyer, seller }: Parties): boolean {
    return this.#countOf(buyer) > 0 || this.#countOf(seller) > 0;
  }

  /** Fault of a trade that must not be sent; undefined if it may be. */
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
    return this.#deceptions.get(wallet)?.length ?? 0;
  }
}
