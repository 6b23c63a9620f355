// Computes what wallets lack for a list of fills, fill by fill as the settlement contract will. Pure.
import { BUY, costOf, type FillFees, type Outcome, type Price, type Side, type Size } from '@presage/protocol';

export interface FillNeed<Id extends string = string> extends FillFees {
  readonly buyer: Id;
  readonly seller: Id;
  readonly marketId: Id;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly takerSide: Side;
}

/** Stablecoin by wallet, shares by wallet, market and outcome; updated fill by fill. */
export interface Holdings<Id extends string = string> {
  readonly money: Map<Id, bigint>;
  readonly shares: Map<string, bigint>;
}

export function shareKey(wallet: string, marketId: string, outcome: number): string {
  return `${wallet}/${marketId}/${outcome}`;
}

/** Stablecoin that each wallet must get so that every fill settles. */
export function findShortfalls<Id extends string>(
  fills: readonly FillNeed<Id>[],
  holdings: Holdings<Id>,
): Map<Id, bigint> {
  const gifts = new Map<Id, bigint>();
  const pay = (wallet: Id, amount: bigint): void => {
    const held = holdings.money.get(wallet) ?? 0n;
    if (held < amount) gifts.set(wallet, (gifts.get(wallet) ?? 0n) + amount - held);
    holdings.money.set(wallet, held < amount ? 0n : held - amount);
  };
  for (const fill of fills) applyFill(fill, holdings, pay);
  return gifts;
}

function applyFill<Id extends string>(
  fill: FillNeed<Id>,
  { money, shares }: Holdings<Id>,
  pay: (wallet: Id, amount: bigint) => void,
): void {
  const { buyer, seller, marketId, outcome, price, size } = fill;
  const [bought, sold] = chargesOf(fill);
  const cost = costOf(price, size);
  const kind = shareKey(seller, marketId, outcome);
  const held = shares.get(kind) ?? 0n;
  const minted = held < BigInt(size) ? BigInt(size) - held : 0n;
  pay(buyer, cost + bought);
  const paid = minted + sold;
  if (paid > cost) pay(seller, paid - cost);
  else money.set(seller, (money.get(seller) ?? 0n) + cost - paid);
  shares.set(kind, held - (BigInt(size) - minted));
  add(shares, shareKey(buyer, marketId, outcome), BigInt(size));
  if (minted > 0n) add(shares, shareKey(seller, marketId, 1 - outcome), minted);
}

/** Fees added to each side's payment; negative for a maker who gets a rebate. */
function chargesOf({ takerSide, fee = 0, makerRebate = 0 }: FillNeed): [buyer: bigint, seller: bigint] {
  const [taker, maker] = [BigInt(fee), -BigInt(makerRebate)];
  return takerSide === BUY ? [taker, maker] : [maker, taker];
}

function add(shares: Map<string, bigint>, key: string, amount: bigint): void {
  shares.set(key, (shares.get(key) ?? 0n) + amount);
}
