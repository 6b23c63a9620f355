// The book without the wallet's own open orders, which it cannot trade with, and those orders.
import type { BookEvent, OpenOrder, OutcomeName } from '@presage/sdk';
import { useMemo } from 'react';
import { ownOrders, withoutOwn } from '../lib/book-view.ts';
import type { MarketFeed } from '../state/market-feed.ts';
import { usePage } from '../state/page-context.ts';
import { usePart } from '../state/store.ts';

interface OthersBook {
  readonly book: BookEvent | undefined;
  readonly own: readonly OpenOrder[];
}

export function useOthersBook(feed: MarketFeed, outcome: OutcomeName): OthersBook {
  const whole = usePart(feed.books, (books) => books[outcome]);
  const orders = usePart(usePage().account.state, (state) => state.orders);
  const own = useMemo(() => ownOrders(orders ?? [], feed.marketId, outcome), [orders, feed.marketId, outcome]);
  const book = useMemo(() => withoutOwn(whole, own), [whole, own]);
  return { book, own };
}
