// Filters and sorts markets for a list.
import type { Market } from '@presage/sdk';

/** Every category. */
export const ALL = 'all';

export const SORTS = [
  { key: 'volume', text: 'Most traded' },
  { key: 'moving', text: 'Moving' },
  { key: 'closing', text: 'Closing soon' },
  { key: 'newest', text: 'New' },
  { key: 'decided', text: 'Decided' },
] as const;

export interface MarketListQuery {
  readonly search: string;
  /** An id, or `ALL`. */
  readonly category: string;
  /** Only those that the visitor watches. */
  readonly isWatched: boolean;
  readonly sort: (typeof SORTS)[number]['key'];
}

const ORDERS: Readonly<Record<MarketListQuery['sort'], (a: Market, b: Market) => number>> = {
  volume: (a, b) => Number(b.volume24h) - Number(a.volume24h) || Number(b.volume) - Number(a.volume),
  moving: (a, b) => Math.abs(Number(b.change24h ?? 0)) - Math.abs(Number(a.change24h ?? 0)),
  closing: (a, b) => Number(a.expiration) - Number(b.expiration),
  newest: (a, b) => b.createdAt - a.createdAt,
  decided: (a, b) => Number(b.expiration) - Number(a.expiration),
};

/** Open markets first; quick markets are listed separately. */
export function pickMarkets(
  markets: readonly Market[],
  { search, category, sort, isWatched }: MarketListQuery,
  watchlist: ReadonlySet<string>,
): Market[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return markets
    .filter((market) => market.kind === 'standard' && (category === ALL || market.category === category))
    .filter(({ id }) => !isWatched || watchlist.has(id))
    .filter(({ status }) => sort !== 'decided' || status === 'resolved' || status === 'void')
    .filter(({ question, description }) => {
      const text = `${question} ${description}`.toLowerCase();
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
