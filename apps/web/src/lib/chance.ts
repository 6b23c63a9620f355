// The chance of YES on the page: the service's own definition, applied to the live books.
import { chanceOf, quoteYes, type YesQuote } from '@presage/sdk';
import type { Books } from '../state/market-feed.ts';

function quoteOf({ YES, NO }: Books): YesQuote {
  return quoteYes({
    yesBid: YES?.bids[0]?.price ?? 0,
    yesAsk: YES?.asks[0]?.price ?? 0,
    noBid: NO?.bids[0]?.price ?? 0,
    noAsk: NO?.asks[0]?.price ?? 0,
  });
}

/** Millionths; undefined when nobody has said anything yet. */
export function liveChance(books: Books, lastYes: number): number | undefined {
  return chanceOf(quoteOf(books), lastYes) ?? undefined;
}

/** A trade of NO at a price says 1 less that price of YES. */
export function inYesTerms({ outcome, price }: { readonly outcome: number; readonly price: number | bigint }): number {
  return outcome === 0 ? Number(price) : 1_000_000 - Number(price);
}
