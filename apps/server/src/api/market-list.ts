// Lists markets that fit every filter, all at once or page by page, newest first.
import type { Engine, MarketView, RetiredFields } from '@presage/engine';
import { LIMITS, type MarketId, type MarketKind, type MarketStatus, parseBytes32 } from '@presage/protocol';
import type { OperatorState } from '../operator/operator-state.ts';
import { invalidField } from './bodies.ts';
import type { LongRead } from './long-reads.ts';
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

/** Data that filters need besides the market. */
interface ListContext {
  readonly nowSeconds: number;
  readonly presentation: Pick<OperatorState, 'textsOf'>;
  readonly read: Pick<LongRead, 'isTurnOver' | 'next'>;
}

/** Refuses an unknown category, which is an error and not an empty list. */
export function assertCategory(id: string, presentation: Pick<OperatorState, 'categories'>): void {
  const ids = presentation.categories().map((category) => category.id);
  if (!ids.includes(id)) throw invalidField('category', `one of ${ids.join(', ')}`, id);
}

/** Chooses markets: without `limit` and `cursor`, all open and the newest closed ones. The next cursor is null if none are older. */
export async function chooseMarkets(markets: MarketsByAge, query: MarketQuery, context: ListContext) {
  const filter = new MarketFilter(query, context);
  const { cursor, limit = LIMITS.marketsPageDefault } = query;
  if (cursor === undefined && query.limit === undefined) {
    return { markets: await openAndNewestClosed(markets, filter, context), nextCursor: null };
  }
  const accepts: Accepts = (view) => filter.fits(view);
  const found = await takeFirst(markets.newestFirst(filter, cursor), { accepts, count: limit + 1 }, context);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { markets: page, nextCursor: found.length > limit && last !== undefined ? toCursor(last) : null };
}

type Accepts = (view: MarketView) => boolean;

class MarketFilter {
  readonly #query: MarketQuery;
  readonly #context: ListContext;
  readonly #words: readonly string[];

  constructor(query: MarketQuery, context: ListContext) {
    this.#query = query;
    this.#context = context;
    this.#words = toWords(query.search);
  }

  fits(view: MarketView): boolean {
    const { facts } = view;
    const status = toMarketStatus(view, this.#context.nowSeconds);
    if (!this.#hasFields(facts, status)) return false;
    const { category: asked } = this.#query;
    if (asked === undefined && this.#words.length === 0) return true;
    const { category, question, description } = this.#context.presentation.textsOf(view);
    if (asked !== undefined && category !== asked) return false;
    return hasWords(`${question} ${description}`, this.#words);
  }

  /** Whether a retired market is worth unpacking: there may be very many, and few filters look at their texts. */
  mayFit(marketId: MarketId, fields: RetiredFields): boolean {
    if (!this.#hasFields(fields, fields.status)) return false;
    const { category } = this.#query;
    if (category === undefined) return true;
    const facts = { marketId, question: '', description: '', category: fields.category };
    return this.#context.presentation.textsOf({ facts }).category === category;
  }

  #hasFields(facts: Pick<RetiredFields, 'chainId' | 'kind'>, actual: MarketStatus): boolean {
    const { chainId, status, kind } = this.#query;
    if (chainId !== undefined && facts.chainId !== chainId) return false;
    if (status !== undefined && actual !== status) return false;
    return kind === undefined || facts.kind === kind;
  }
}

/** Words of a search; none without a search. */
export function toWords(search = ''): readonly string[] {
  return [...new Set(search.toLowerCase().split(/\s+/))].filter((word) => word !== '');
}

/** Whether a text contains all of these words, in any order and case. */
export function hasWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

async function openAndNewestClosed(markets: MarketsByAge, filter: MarketFilter, context: ListContext) {
  const isOpen = (view: MarketView) => toMarketStatus(view, context.nowSeconds) === 'open';
  const open = markets.open().filter((view) => isOpen(view) && filter.fits(view));
  const accepts: Accepts = (view) => !isOpen(view) && filter.fits(view);
  const count = LIMITS.closedMarketsListed;
  return [...open, ...(await takeFirst(markets.newestFirst(filter), { accepts, count }, context))];
}

interface Wanted {
  readonly accepts: Accepts;
  readonly count: number;
}

async function takeFirst(
  markets: Iterable<MarketView | undefined>,
  { accepts, count }: Wanted,
  { read }: ListContext,
): Promise<MarketView[]> {
  const taken: MarketView[] = [];
  for (const view of markets) {
    if (read.isTurnOver) await read.next();
    if (view === undefined || !accepts(view)) continue;
    taken.push(view);
    if (taken.length >= count) break;
  }
  return taken;
}

type Reads = Pick<Engine, 'market' | 'marketCount' | 'activeMarkets' | 'retiredMarkets' | 'retired'>;

/** All markets, newest first, sorted once: after years nearly all are retired, and a list shows few of those. */
export class MarketsByAge {
  readonly #reads: Reads;
  #all: readonly Place[] = [];
  /** Markets that were open at the last call; a closed market never reopens. */
  #open: readonly Place[] = [];

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /** Open markets, newest first. */
  open(): MarketView[] {
    this.#learn();
    const open = this.#open.flatMap(({ marketId }) => this.#reads.market(marketId) ?? []);
    const stillOpen = open.filter(({ status }) => status === 'open');
    this.#open = stillOpen.map(toPlace);
    return stillOpen;
  }

  /** Yields markets after `last`, and undefined for one that cannot fit, so that the caller can pause while very many are skipped. */
  *newestFirst(filter: Pick<MarketFilter, 'mayFit'>, last?: Place): Generator<MarketView | undefined> {
    this.#learn();
    for (const { marketId } of last === undefined ? this.#all : this.#all.filter(isAfter(last))) {
      const fields = this.#reads.retired(marketId);
      const isPassedOver = fields !== undefined && !filter.mayFit(marketId, fields);
      yield isPassedOver ? undefined : this.#reads.market(marketId);
    }
  }

  #learn(): void {
    if (this.#reads.marketCount === this.#all.length) return;
    const known = new Set(this.#all.map(({ marketId }) => marketId));
    const active = this.#reads.activeMarkets();
    const added = active.filter(({ facts, status }) => status === 'open' && !known.has(facts.marketId));
    const retired = Array.from(this.#reads.retiredMarkets(), ({ marketId, createdAt }) => ({ marketId, createdAt }));
    this.#all = [...active.map(toPlace), ...retired].sort(newestFirst);
    this.#open = [...this.#open, ...added.map(toPlace)].sort(newestFirst);
  }
}

type Place = Pick<MarketView['facts'], 'createdAt' | 'marketId'>;

function toPlace({ facts: { createdAt, marketId } }: MarketView): Place {
  return { createdAt, marketId };
}

/** Orders newest first, and markets of one block by id, so that no page skips any. */
function newestFirst(a: Place, b: Place): number {
  return b.createdAt - a.createdAt || (a.marketId < b.marketId ? -1 : 1);
}

/** Cursor: a position in the order rather than an offset, so that new markets do not shift later pages. */
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
