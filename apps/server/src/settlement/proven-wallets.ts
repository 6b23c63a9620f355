// Wallets that need no simulation: a fill of theirs in the same market settled moments ago, and none has failed since.
import type { OrderView, TradeView } from '@presage/engine';
import { type MarketId, unmarkWalletSignature } from '@presage/protocol';
import { NewestMap } from '@presage/runtime';
import type { PlannedFill } from './ports.ts';

/** How long a settled fill counts as proof: an owner who means to move the money away has hardly begun by then. */
const PROVEN_SECONDS = 60;
/** Most entries, one for each wallet in a market; the oldest are dropped. */
const MOST_PROOFS = 20_000;

export class ProvenWallets {
  readonly #nowSeconds: () => number;
  /** Time of each wallet's last settled fill in each market. */
  readonly #settledAt = new NewestMap<string, number>(MOST_PROOFS);

  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  /** Whether the fill may be sent without a simulation. Not if it was returned once, or if a contract must verify a signature. */
  covers({ trade: { stage, marketId, buyer, seller }, buy, sell }: PlannedFill): boolean {
    const now = this.#nowSeconds();
    if (stage !== 'matched' || !isPlain(buy, now) || !isPlain(sell, now)) return false;
    return [buyer, seller].every((wallet) => {
      const settledAt = this.#settledAt.get(keyOf(marketId, wallet));
      return settledAt !== undefined && Math.abs(now - settledAt) <= PROVEN_SECONDS;
    });
  }

  /** Adds both wallets of a fill that was seen in a block. */
  add({ marketId, buyer, seller }: TradeView): void {
    for (const wallet of [buyer, seller]) this.#settledAt.set(keyOf(marketId, wallet), this.#nowSeconds());
  }

  /** Clears all proofs after a batch or a fill failed. */
  clear(): void {
    this.#settledAt.clear();
  }
}

/** Whether the order is signed by a key, which cannot be revoked, and has not expired, so it is far from the end of its grace. */
function isPlain({ signed: { order, signature } }: OrderView, now: number): boolean {
  return unmarkWalletSignature(signature) === undefined && now < Number(order.expiration);
}

function keyOf(marketId: MarketId, wallet: string): string {
  return `${marketId} ${wallet}`;
}
