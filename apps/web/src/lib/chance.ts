// The chance of YES on the page: the service's own definition, applied to the live books.
import { type BookEvent, chanceOf, quoteYes } from '@presage/sdk';

/** Millionths; undefined when nobody has said anything yet. */
export function liveChance(yes: BookEvent | undefined, no: BookEvent | undefined, lastYes: number): number | undefined {
  const quote = quoteYes({
    yesBid: yes?.bids[0]?.price ?? 0,
    yesAsk: yes?.asks[0]?.price ?? 0,
    noBid: no?.bids[0]?.price ?? 0,
    noAsk: no?.asks[0]?.price ?? 0,
  });
  return chanceOf(quote, lastYes) ?? undefined;
}

/** A trade of NO at a price says 1 less that price of YES. */
export function inYesTerms({ outcome, price }: { readonly outcome: number; readonly price: number | bigint }): number {
  return outcome === 0 ? Number(price) : 1_000_000 - Number(price);
}
