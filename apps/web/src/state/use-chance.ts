// The chance of YES in a live market, by the page's one definition, from the book and the trades on the screen.
import { topOf } from '../lib/book-view.ts';
import { chanceOf, inYesTerms } from '../lib/chance.ts';
import type { MarketFeed } from './market-feed.ts';
import { usePart } from './store.ts';

/** Millionths; undefined when nobody has said anything yet. */
export function useChance(feed: MarketFeed): number | undefined {
  const bid = usePart(feed.books, ({ YES }) => topOf(YES).bid);
  const ask = usePart(feed.books, ({ YES }) => topOf(YES).ask);
  const traded = usePart(feed.trades, (trades) => (trades?.[0] === undefined ? undefined : inYesTerms(trades[0])));
  const known = usePart(feed.facts, ({ market }) => Number(market?.lastYesPrice ?? 0));
  return chanceOf({ bid, ask, last: traded ?? known });
}
