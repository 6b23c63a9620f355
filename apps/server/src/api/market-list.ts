// Which markets a list shows: those that fit every filter, all at once or page by page, newest first.
import type { MarketView } from '@presage/engine';
import { CATEGORIES, LIMITS, MARKET_KINDS, MARKET_STATUSES } from '@presage/protocol';
import { invalidField, limitOf, optionalChainId, type Query, textOf } from './query-values.ts';
import { toMarketStatus } from './wire-markets.ts';

export interface MarketPage {
  readonly markets: readonly MarketView[];
  /** Null when nothing older follows. */
  readonly nextCursor: string | null;
}

/** Without `limit` and `cursor`, all open ones and the newest closed ones. */
export function chooseMarkets(markets: readonly MarketView[], query: Query, nowSeconds: number): MarketPage {
  const chosen = filterMarkets(markets, query, nowSeconds).sort(newestFirst);
  const cursor = textOf(query, 'cursor');
  if (cursor === undefined && textOf(query, 'limit') === undefined) {
    return { markets: openAndNewestClosed(chosen, nowSeconds), nextCursor: null };
  }
  const limit = limitOf(query, { fallback: LIMITS.marketsPageDefault, maximum: LIMITS.marketsPageMax });
  const rest = cursor === undefined ? chosen : chosen.filter(isAfter(cursor));
  const page = rest.slice(0, limit);
  return { markets: page, nextCursor: rest.length > limit ? toCursor(page.at(-1)!) : null };
}

function filterMarkets(markets: readonly MarketView[], query: Query, nowSeconds: number): MarketView[] {
  const chainId = optionalChainId(query);
  const status = choiceOf(query, 'status', MARKET_STATUSES);
  const category = choiceOf(query, 'category', CATEGORIES);
  const kind = choiceOf(query, 'kind', MARKET_KINDS);
  const search = textOf(query, 'search')?.toLowerCase();
  return markets.filter((view) => {
    const { facts } = view;
    if (chainId !== undefined && facts.chainId !== chainId) return false;
    if (status !== undefined && toMarketStatus(view, nowSeconds) !== status) return false;
    if (category !== undefined && facts.category !== category) return false;
    if (kind !== undefined && facts.kind !== kind) return false;
    return search === undefined || `${facts.question} ${facts.description}`.toLowerCase().includes(search);
  });
}

function choiceOf<T extends string>(query: Query, field: string, choices: readonly T[]): T | undefined {
  const value = textOf(query, field);
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw invalidField(field, `one of ${choices.join(', ')}`);
  return choice;
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

function isAfter(cursor: string): (view: MarketView) => boolean {
  const [, createdAt, marketId] = /^(\d{1,15})-(0x[0-9a-f]{64})$/.exec(cursor) ?? [];
  if (marketId === undefined) throw invalidField('cursor', 'the nextCursor of an earlier answer');
  const last = { createdAt: Number(createdAt), marketId: marketId as `0x${string}` };
  return (view) => view.facts.marketId !== marketId && newestFirst({ facts: last }, view) < 0;
}
