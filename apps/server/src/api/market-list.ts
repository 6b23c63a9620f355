// Which markets a list shows: those that fit every filter, all at once or page by page, newest first.
import type { MarketView } from '@presage/engine';
import { LIMITS, type MarketKind, type MarketStatus, parseBytes32 } from '@presage/protocol';
import type { MarketPresentation } from '../operator/market-presentation.ts';
import { invalidField } from './bodies.ts';
import { toMarketStatus } from './mappers/market.ts';

/** Each field that is given must fit. */
interface MarketQuery {
  readonly chainId: number | undefined;
  readonly status: MarketStatus | undefined;
  readonly category: string | undefined;
  readonly kind: MarketKind | undefined;
  readonly search: string | undefined;
  readonly limit: number | undefined;
  /** Only those after it. */
  readonly cursor: Place | undefined;
}

/** What a filter needs beside the market. */
interface ListContext {
  readonly nowSeconds: number;
  readonly presentation: Pick<MarketPresentation, 'textsOf'>;
}

export interface MarketPage {
  readonly markets: readonly MarketView[];
  /** Null when nothing older follows. */
  readonly nextCursor: string | null;
}

/** One that nobody has defined is a mistake, not an empty list. */
export function assertCategory(id: string, presentation: Pick<MarketPresentation, 'categories'>): void {
  const ids = presentation.categories().map((category) => category.id);
  if (!ids.includes(id)) throw invalidField('category', `one of ${ids.join(', ')}`, id);
}

/** Without `limit` and `cursor`, all open ones and the newest closed ones. */
export function chooseMarkets(
  markets: readonly MarketView[],
  query: MarketQuery,
  { nowSeconds, presentation }: ListContext,
): MarketPage {
  const chosen = filterMarkets(markets, query, { nowSeconds, presentation }).sort(newestFirst);
  const { cursor, limit = LIMITS.marketsPageDefault } = query;
  if (cursor === undefined && query.limit === undefined) {
    return { markets: openAndNewestClosed(chosen, nowSeconds), nextCursor: null };
  }
  const rest = cursor === undefined ? chosen : chosen.filter(isAfter(cursor));
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { markets: page, nextCursor: rest.length > limit && last !== undefined ? toCursor(last) : null };
}

function filterMarkets(
  markets: readonly MarketView[],
  query: MarketQuery,
  { nowSeconds, presentation }: ListContext,
): MarketView[] {
  const { chainId, status, category, kind } = query;
  const search = query.search?.toLowerCase();
  return markets.filter((view) => {
    const { facts } = view;
    if (chainId !== undefined && facts.chainId !== chainId) return false;
    if (status !== undefined && toMarketStatus(view, nowSeconds) !== status) return false;
    if (kind !== undefined && facts.kind !== kind) return false;
    if (category === undefined && search === undefined) return true;
    const texts = presentation.textsOf(view);
    if (category !== undefined && texts.category !== category) return false;
    return search === undefined || `${texts.question} ${texts.description}`.toLowerCase().includes(search);
  });
}

function openAndNewestClosed(newestFirst: readonly MarketView[], nowSeconds: number): MarketView[] {
  const isOpen = (view: MarketView) => toMarketStatus(view, nowSeconds) === 'open';
  const closed = newestFirst.filter((view) => !isOpen(view)).slice(0, LIMITS.closedMarketsListed);
  return [...newestFirst.filter(isOpen), ...closed];
}

type Place = Pick<MarketView['facts'], 'createdAt' | 'marketId'>;

/** The id decides among markets of one block, or a page could end between them and lose some. */
function newestFirst({ facts: a }: { facts: Place }, { facts: b }: { facts: Place }): number {
  return b.createdAt - a.createdAt || (a.marketId < b.marketId ? -1 : 1);
}

/** A place in the order rather than a number of markets, so that new ones do not shift the pages that follow. */
function toCursor({ facts: { createdAt, marketId } }: MarketView): string {
  return `${createdAt}-${marketId}`;
}

export function parseCursor(text: string): Place | undefined {
  const [, createdAt, id] = /^(\d{1,15})-(0x[0-9a-f]{64})$/.exec(text) ?? [];
  const marketId = parseBytes32(id);
  return marketId && { createdAt: Number(createdAt), marketId };
}

function isAfter(last: Place): (view: MarketView) => boolean {
  return (view) => view.facts.marketId !== last.marketId && newestFirst({ facts: last }, view) < 0;
}
