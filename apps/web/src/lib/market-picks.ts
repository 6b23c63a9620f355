// Filters and sorts markets for a list.
import type { Market } from '@presage/sdk';

export const CATEGORIES = ['all', 'defi', 'protocol', 'stablecoin', 'general'] as const;
type Category = (typeof CATEGORIES)[number];

export const SORTS = [
  { key: 'volume', text: 'volume' },
  { key: 'closing', text: 'closing soon' },
  { key: 'newest', text: 'newest' },
] as const;

export interface MarketListQuery {
  readonly search: string;
  readonly category: Category;
  readonly sort: (typeof SORTS)[number]['key'];
}

const ORDERS: Readonly<Record<MarketListQuery['sort'], (a: Market, b: Market) => number>> = {
  volume: (a, b) => Number(b.volume) - Number(a.volume),
  closing: (a, b) => Number(a.expiration) - Number(b.expiration),
  newest: (a, b) => b.createdAt - a.createdAt,
};

/** Open markets first; quick markets are listed separately. */
export function pickMarkets(markets: readonly Market[], { search, category, sort }: MarketListQuery): Market[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return markets
    .filter((market) => market.kind === 'standard' && (category === 'all' || market.category === category))
    .filter(({ question }) => words.every((word) => question.toLowerCase().includes(word)))
    .sort(
      (a, b) =>
        Number(b.status === 'open') - Number(a.status === 'open') || ORDERS[sort](a, b) || a.createdAt - b.createdAt,
    );
}
