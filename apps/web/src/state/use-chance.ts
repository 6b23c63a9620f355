// The chance of YES in a live market: the service's figure, updated from the books and trades of its stream.
import { inYesTerms, liveChance } from '../lib/chance.ts';
import type { MarketFeed } from './market-feed.ts';
import { usePart } from './store.ts';

/** Chance in millionths; undefined while there is neither a quote nor a trade. */
export function useChance(feed: MarketFeed): number | undefined {
  const traded = usePart(feed.trades, (trades) => (trades?.[0] === undefined ? undefined : inYesTerms(trades[0])));
  const market = usePart(feed.facts, (facts) => facts.market);
  const live = usePart(feed.books, (books) =>
    // Uses the service's figure until the books have arrived.
    books.YES && books.NO ? liveChance(books, traded ?? Number(market?.lastYesPrice ?? 0)) : -1,
  );
  if (live !== -1) return live;
  return market?.chance == null ? undefined : Number(market.chance);
}
