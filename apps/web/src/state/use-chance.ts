// The chance of YES in a live market: what the service says, brought up to date by the books and trades of its stream.
import { inYesTerms, liveChance } from '../lib/chance.ts';
import type { MarketFeed } from './market-feed.ts';
import { usePart } from './store.ts';

/** Millionths; undefined when nobody has said anything yet. */
export function useChance(feed: MarketFeed): number | undefined {
  const traded = usePart(feed.trades, (trades) => (trades?.[0] === undefined ? undefined : inYesTerms(trades[0])));
  const market = usePart(feed.facts, (facts) => facts.market);
  const live = usePart(feed.books, (books) =>
    // Until the books are here, the service's figure is used.
    books.YES && books.NO ? liveChance(books, traded ?? Number(market?.lastYesPrice ?? 0)) : -1,
  );
  if (live !== -1) return live;
  return market?.chance == null ? undefined : Number(market.chance);
}
