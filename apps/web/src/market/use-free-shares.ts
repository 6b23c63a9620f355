// Shares of a market that the wallet holds and does not offer in open orders.
import type { OutcomeName } from '@presage/sdk';
import { useMemo } from 'react';
import { offeredSize } from '../lib/book-view.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';
import { usePosition } from './use-position.ts';

export type FreeShares = Readonly<Record<OutcomeName, bigint>>;

/** Undefined until position and orders are known. */
export function useFreeShares(marketId: string | undefined): FreeShares | undefined {
  const holding = usePosition(marketId ?? '');
  const orders = usePart(usePage().account.state, (state) => state.orders);
  return useMemo(() => {
    if (holding === undefined || orders === undefined || marketId === undefined) return undefined;
    const free = (held: bigint, outcome: OutcomeName) => {
      const offered = offeredSize(orders, marketId, outcome);
      return offered < held ? held - offered : 0n;
    };
    return { YES: free(holding.yesShares, 'YES'), NO: free(holding.noShares, 'NO') };
  }, [holding, orders, marketId]);
}
