// Which markets a list shows: those that fit every filter, all at once or page by page, newest first.
import type { Engine, MarketView } from '@presage/engine';
import { LIMITS, type MarketKind, type MarketStatus, parseBytes32 } from '@presage/protocol';
import type { OperatorState } from '../operator/operator-state.ts';
import { invalidField } from './bodies.ts';
import { toMarketStatus } from './mappers/market.ts';

/** Filters; every given field must match. */
interface MarketQuery {
  readonly chainId: number | undefined;
  readonly status: MarketStatus | undefined;
  readonly category: string | undefined;
  readonly kind: MarketKind | undefined;
  readonly search: string | undefined;
  readonly limit: number | undefined;
  /** Only markets after this cursor. */
  readonly cursor: Place | undefined;
}

/** Data that filters need beside the market. */
interface ListContext {
  readonly nowSeconds: number;
  readonly presentation: Pick<OperatorState, 'textsOf'>;
}

/** An undefined category is an error, not an empty list. */
export function assertCategory(id: string, presentation: Pick<OperatorState, 'categories'>): void {
  const ids = presentation.categories().map((category) => category.id);
  if (!ids.includes(id)) throw invalidField('category', `one of ${ids.join(', ')}`, id);
}

/** Without `limit` and `cursor`, all open markets and the newest closed ones. The cursor is null if there are no older markets. */
export function chooseMarkets(markets: MarketsByAge, query: MarketQuery, context: ListContext) {
  const fits = makeFilter(query, context);
  const { cursor, limit = LIMITS.marketsPageDefault } = query;
  if (cursor === undefined && query.limit === undefined) {
    return { markets: openAndNewestClosed(markets, fits, context), nextCursor: null };
  }
  const found = takeFirst(markets.newestFirst(cursor), fits, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { markets: page, nextCursor: found.length > limit && last !== undefined ? toCursor(last) : null };
}

type Filter = (view: MarketView) => boolean;

function makeFilter(query: MarketQuery, { nowSeconds, presentation }: ListContext): Filter {
  const { chainId, status, category, kind } = query;
  const search = query.search?.toLowerCase();
  return (view) => {
    const { facts } = view;
    if (chainId !== undefined && facts.chainId !== chainId) return false;
    if (status !== undefined && toMarketStatus(view, nowSeconds) !== status) return false;
    if (kind !== undefined && facts.kind !== kind) return false;
    if (category === undefined && search === undefined) return true;
    const texts = presentation.textsOf(view);
    if (category !== undefined && texts.category !== category) return false;
    return search === undefined || `${texts.question} ${texts.description}`.toLowerCase().includes(search);
  };
}

function openAndNewestClosed(markets: MarketsByAge, fits: Filter, { nowSeconds }: ListContext): MarketView[] {
  const isOpen = (view: MarketView) => toMarketStatus(view, nowSeconds) === 'open';
  const open = markets.open().filter((view) => isOpen(view) && fits(view));
  const isListed = (view: MarketView) => !isOpen(view) && fits(view);
  return [...open, ...takeFirst(markets.newestFirst(), isListed, LIMITS.closedMarketsListed)];
}

function takeFirst(markets: Iterable<MarketView>, fits: Filter, count: number): MarketView[] {
  const taken: MarketView[] = [];
  for (const view of markets) {
    if (!fits(view)) continue;
    taken.push(view);
    if (taken.length >= count) break;
  }
  return taken;
}

type Reads = Pick<Engine, 'market' | 'marketCount' | 'markets'>;

/** All markets from the newest on, sorted once: after years nearly all are closed, and a list shows few of those. */
export class MarketsByAge {
  readonly #reads: Reads;
  #all: readonly Place[] = [];
  /** Markets that were open at the last look; a closed market never reopens. */
  #open: readonly Place[] = [];

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /** Open markets, newest first. */
  open(): MarketView[] {
    this.#learn();
    const open = [...this.#views(this.#open)].filter(({ status }) => status === 'open');
    this.#open = open.map(toPlace);
    return open;
  }

  /** Markets after `last`. */
  newestFirst(last?: Place): Iterable<MarketView> {
    this.#learn();
    return this.#views(last === undefined ? this.#all : this.#all.filter(isAfter(last)));
  }

  #learn(): void {
    if (this.#reads.marketCount === this.#all.length) return;
    const markets = this.#reads.markets();
    const known = new Set(this.#all.map(({ marketId }) => marketId));
    const added = markets.filter(({ facts, status }) => status === 'open' && !known.has(facts.marketId));
    this.#all = markets.map(toPlace).sort(newestFirst);
    this.#open = [...this.#open, ...added.map(toPlace)].sort(newestFirst);
  }

  *#views(places: readonly Place[]): Generator<MarketView> {
    for (const { marketId } of places) {
      const view = this.#reads.market(marketId);
      if (view !== undefined) yield view;
    }
  }
}

type Place = Pick<MarketView['facts'], 'createdAt' | 'marketId'>;

function toPlace({ facts: { createdAt, marketId } }: MarketView): Place {
  return { createdAt, marketId };
}

/** The id orders markets of one block, so that no page loses some of them. */
function newestFirst(a: Place, b: Place): number {
  return b.createdAt - a.createdAt || (a.marketId < b.marketId ? -1 : 1);
}

/** A position in the order rather than an offset, so that new markets do not shift later pages. */
function toCursor({ facts: { createdAt, marketId } }: MarketView): string {
  return `${createdAt}-${marketId}`;
}

export function parseCursor(text: string): Place | undefined {
  const [, createdAt, id] = /^(\d{1,15})-(0x[0-9a-f]{64})$/.exec(text) ?? [];
  const marketId = parseBytes32(id);
  return marketId && { createdAt: Number(createdAt), marketId };
}

function isAfter(last: Place): (place: Place) => boolean {
  return (place) => place.marketId !== last.marketId && newestFirst(last, place) < 0;
}
