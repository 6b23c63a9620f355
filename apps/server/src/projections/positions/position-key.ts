// What names a position: a wallet in a market.
import type { Address } from '@presage/protocol';

export interface Pair {
  readonly wallet: Address;
  readonly marketSeq: number;
}

export function toPairKey(wallet: Address, marketSeq: number): string {
  return `${wallet}/${marketSeq}`;
}
