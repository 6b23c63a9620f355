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

/** Chance of YES in millionths; undefined while there is neither a quote nor a trade. */
export function liveChance(books: Books, lastYes: number): number | undefined {
  return chanceOf(quoteOf(books), lastYes) ?? undefined;
}

/** The trade's price in terms of YES: for a trade of NO, 1 less its price. */
export function inYesTerms({ outcome, price }: { readonly outcome: number; readonly price: number | bigint }): number {
  return outcome === 0 ? Number(price) : 1_000_000 - Number(price);
}
