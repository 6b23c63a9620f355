// Filters and sorts markets for a list.
import type { Market } from '@presage/sdk';

export const ALL = 'all';

export const SORTS = [
  { value: 'volume', text: 'Most traded' },
  { value: 'moving', text: 'Moving' },
  { value: 'closing', text: 'Closing soon' },
  { value: 'newest', text: 'New' },
  { value: 'decided', text: 'Decided' },
] as const;

export interface Filters {
  /** An id, or `ALL`. */
  readonly category: string;
  readonly isWatched: boolean;
  readonly sort: (typeof SORTS)[number]['value'];
}

const ORDERS: Readonly<Record<Filters['sort'], (a: Market, b: Market) => number>> = {
  volume: (a, b) => Number(b.volume24h) - Number(a.volume24h) || Number(b.volume) - Number(a.volume),
  moving: (a, b) => Math.abs(Number(b.change24h ?? 0)) - Math.abs(Number(a.change24h ?? 0)),
  closing: (a, b) => Number(a.expiration) - Number(b.expiration),
  newest: (a, b) => b.createdAt - a.createdAt,
  decided: (a, b) => Number(b.expiration) - Number(a.expiration),
};

/** Open markets first; quick markets are listed separately. */
export function pickMarkets(
  markets: readonly Market[],
  { search, category, sort, isWatched }: Filters & { readonly search: string },
  watchlist: ReadonlySet<string>,
): Market[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return markets
    .filter((market) => market.kind === 'standard' && (category === ALL || market.category === category))
    .filter(({ id }) => !isWatched || watchlist.has(id))
    .filter(({ status }) => sort !== 'decided' || status === 'resolved' || status === 'void')
    .filter(({ question, description, category: of }) => {
      const text = `${question} ${description} ${of}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort(
      (a, b) =>
        Number(b.status === 'open') - Number(a.status === 'open') ||
        Number(b.featured === true) - Number(a.featured === true) ||
        ORDERS[sort](a, b) ||
        a.createdAt - b.createdAt,
    );
}
