// Filters and sorts markets and events for a list.
import { isEvent, type Listed } from './listed.ts';

export const ALL = 'all';

export const SORTS = [
  { value: 'volume', text: 'Most traded' },
  { value: 'moving', text: 'Moving' },
  { value: 'closing', text: 'Closing soon' },
  { value: 'newest', text: 'New' },
  { value: 'decided', text: 'Decided' },
] as const;

export interface Filters {
  /** Id of a category, or `ALL`. */
  readonly category: string;
  readonly isWatched: boolean;
  readonly sort: (typeof SORTS)[number]['value'];
}

const ORDERS: Readonly<Record<Filters['sort'], (a: Listed, b: Listed) => number>> = {
  volume: (a, b) => Number(b.volume24h) - Number(a.volume24h) || Number(b.volume) - Number(a.volume),
  moving: (a, b) => Math.abs(Number(b.change24h ?? 0)) - Math.abs(Number(a.change24h ?? 0)),
  closing: (a, b) => Number(a.expiration) - Number(b.expiration),
  newest: (a, b) => b.createdAt - a.createdAt,
  decided: (a, b) => Number(b.expiration) - Number(a.expiration),
};

/** Filters and sorts, open entries first. Leaves out quick markets, which are listed separately. */
export function pickListed(
  listed: readonly Listed[],
  { search, category, sort, isWatched }: Filters & { readonly search: string },
  watchlist: ReadonlySet<string>,
): Listed[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return listed
    .filter((each) => each.kind === 'standard' && (category === ALL || each.category === category))
    .filter(({ id }) => !isWatched || watchlist.has(id))
    .filter(({ status }) => sort !== 'decided' || status === 'resolved' || status === 'void')
    .filter((each) => {
      const names = isEvent(each) ? each.outcomes.map(({ name }) => name) : [];
      const text = [each.question, each.description, each.category, ...names].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort(
      (a, b) =>
        Number(b.status === 'open') - Number(a.status === 'open') ||
        Number(isFeatured(b)) - Number(isFeatured(a)) ||
        ORDERS[sort](a, b) ||
        a.createdAt - b.createdAt,
    );
}

function isFeatured(listed: Listed): boolean {
  return !isEvent(listed) && listed.featured === true;
}
