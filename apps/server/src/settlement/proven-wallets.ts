// Wallets of which a simulation would hardly say anything new: a fill of theirs in the same market settled moments ago, and none has failed since.
import type { OrderView, TradeView } from '@presage/engine';
import { type MarketId, unmarkWalletSignature } from '@presage/protocol';
import { NewestMap } from '@presage/runtime';
import type { PlannedFill } from './ports.ts';

/** What a wallet could do is worth something for so long: who means to move the money away has hardly begun. */
const PROVEN_SECONDS = 60;
/** Most entries, one for each wallet in a market; the oldest are dropped. */
const MOST_PROOFS = 20_000;

export class ProvenWallets {
  readonly #nowSeconds: () => number;
  /** When each wallet last settled a fill in each market. */
  readonly #settledAt = new NewestMap<string, number>(MOST_PROOFS);

  constructor(nowSeconds: () => number) {
    this.#nowSeconds = nowSeconds;
  }

  /** Whether the fill may be sent without a simulation. Not what came back once, nor what a contract has to vouch for. */
  covers({ trade: { stage, marketId, buyer, seller }, buy, sell }: PlannedFill): boolean {
    const now = this.#nowSeconds();
    if (stage !== 'matched' || !isPlain(buy, now) || !isPlain(sell, now)) return false;
    return [buyer, seller].every((wallet) => {
      const settledAt = this.#settledAt.get(keyOf(marketId, wallet));
      return settledAt !== undefined && Math.abs(now - settledAt) <= PROVEN_SECONDS;
    });
  }

  /** A fill was seen in a block. */
  add({ marketId, buyer, seller }: TradeView): void {
    for (const wallet of [buyer, seller]) this.#settledAt.set(keyOf(marketId, wallet), this.#nowSeconds());
  }

  /** Something was sent in vain: everybody proves it anew. */
  clear(): void {
    this.#settledAt.clear();
  }
}

/** Signed by a key, which cannot be taken back, and far from the end of its grace. */
function isPlain({ signed: { order, signature } }: OrderView, now: number): boolean {
  return unmarkWalletSignature(signature) === undefined && now < Number(order.expiration);
}

function keyOf(marketId: MarketId, wallet: string): string {
  return `${marketId} ${wallet}`;
}
