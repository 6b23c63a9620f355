// Encodes a batch as the arguments of settleBatch: every order once, and fills that refer to orders by index.
import { type ContractsFeatures, packBatch, type SettleBatchArguments } from '@presage/chain';
import type { OrderView } from '@presage/engine';
import { type Address, SELL } from '@presage/protocol';
import type { PlannedFill } from './ports.ts';

export interface BatchEncoding {
  /** Undefined while the contracts are not known; then the features of the oldest ones are assumed. */
  readonly features: ContractsFeatures | undefined;
  readonly hasDeposit: (wallet: Address) => boolean;
}

/** A fill names the deposits of both its wallets. The contract uses a deposit that covers its whole part, and otherwise the wallet. */
export function encodeBatch(fills: readonly PlannedFill[], encoding: BatchEncoding): SettleBatchArguments {
  const { features, hasDeposit } = encoding;
  const knowsNoMint = features?.refusesMints ?? false;
  const knowsFees = features?.hasFees ?? false;
  const namesDeposit = (wallet: Address) => (features?.hasDeposits ?? false) && hasDeposit(wallet);
  const places = new Map<string, number>();
  const views: OrderView[] = [];
  const placeOf = (view: OrderView): number => {
    const known = places.get(view.signed.orderHash);
    if (known !== undefined) return known;
    places.set(view.signed.orderHash, views.length);
    return views.push(view) - 1;
  };
  const placed = fills.map(({ trade, buy, sell }) => ({
    buy: placeOf(buy),
    sell: placeOf(sell),
    price: trade.price,
    size: trade.size,
    mustNotMint: knowsNoMint && sell.signed.terms.reduceOnly,
    buyerLedger: namesDeposit(trade.buyer),
    sellerLedger: namesDeposit(trade.seller),
    // Without a fee it does not matter who takes, and the byte is cheaper unset.
    sellerTakes: knowsFees && trade.fee !== undefined && trade.takerSide === SELL,
  }));
  return packBatch({ orders: views.map(({ signed }) => signed), fills: placed });
}
