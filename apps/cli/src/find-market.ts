// Finds one market or event by what the user typed: its id, a prefix of it, an asset symbol, or part of its question.
import { asHex, LIMITS, readOutcomeMarketId } from '@presage/protocol';
import type { EventsQuery, Market, MarketEvent, MarketsQuery } from '@presage/sdk';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { plain } from './output.ts';
import { definedOnly } from './values.ts';

/** The fields that identify a market or an event, from the service or from a journal. */
export interface NamedMarket {
  readonly id: string;
  readonly question: string;
  readonly isOpen: boolean;
}

const ID = /^0x[0-9a-f]{64}$/i;
const ID_BEGINNING = /^0x[0-9a-f]{4,63}$/i;
const SHOWN = 5;

export async function findMarket(context: Context, text: string): Promise<Market> {
  const { reader, signal } = context;
  if (ID.test(text)) return reader.getMarket(text, { signal });
  const quick = await findQuickMarket(context, text);
  if (quick !== undefined) return reader.getMarket(quick, { signal });
  const listed = (await reader.listMarkets({}, { signal })).markets.map(toNamed);
  if (listed.some((market) => market.isOpen && fitsText(text)(market))) return pickMarket(listed, text);
  // That list ends with the newest closed markets; after a day these are all quick ones, so standard markets are read separately.
  const quickOnes = listed.filter(({ kind }) => kind === 'quick');
  return pickMarket([...(await listStandardMarkets(context)).map(toNamed), ...quickOnes], text);
}

export async function findEvent(context: Context, text: string): Promise<MarketEvent> {
  const { reader, signal } = context;
  if (ID.test(text)) return reader.getEvent(text, { signal });
  return pickMarket((await listAllEvents(context)).map(toNamed), text, 'event');
}

/** Every event that fits the query, newest first. */
export function listAllEvents({ reader, signal }: Context, query: EventsQuery = {}): Promise<MarketEvent[]> {
  return readPages(async (cursor) => {
    const page = { ...query, limit: LIMITS.eventsPageMax, ...definedOnly({ cursor }) };
    const { events, next } = await reader.listEvents(page, { signal });
    return { rows: events, next };
  });
}

/** Every market but the quick ones that fits the query, newest first. */
export function listStandardMarkets({ reader, signal }: Context, query: MarketsQuery = {}): Promise<Market[]> {
  return readPages(async (cursor) => {
    const page = { ...query, kind: 'standard', limit: LIMITS.marketsPageMax, ...definedOnly({ cursor }) } as const;
    const { markets, nextCursor } = await reader.listMarkets(page, { signal });
    return { rows: markets, next: nextCursor ?? null };
  });
}

interface Page<R> {
  readonly rows: readonly R[];
  /** Cursor of the page that follows; null after the last. */
  readonly next: string | null;
}

/** Limit on pages read, against a list that never ends: 20,000 events or 100,000 markets. */
const MOST_PAGES = 200;

async function readPages<R>(read: (cursor: string | undefined) => Promise<Page<R>>): Promise<R[]> {
  const all: R[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { rows, next } = await read(cursor);
    all.push(...rows);
    if (next === null) break;
    cursor = next;
  }
  return all;
}

function toNamed<M extends { readonly status: Market['status'] }>(found: M): M & { readonly isOpen: boolean } {
  return { ...found, isOpen: found.status === 'open' };
}

/** A prefix of an id, long enough to tell it from others. Outcomes of one event differ only in their index, so theirs is longer. */
export function shortId(id: string): string {
  return id.slice(0, readOutcomeMarketId(asHex(id)) === undefined ? 12 : 18);
}

async function findQuickMarket(context: Context, text: string): Promise<string | undefined> {
  const { quickMarkets } = await context.config();
  if (!quickMarkets.assets.includes(text.toUpperCase())) return undefined;
  const { quickMarket } = await context.reader.getQuickMarket(text, { signal: context.signal });
  return quickMarket?.marketId;
}

/** Prefers open markets: text that matches exactly one open market picks it, even if it matches closed ones too. */
export function pickMarket<M extends NamedMarket>(
  markets: readonly M[],
  text: string,
  what: 'market' | 'event' = 'market',
): M {
  const whole = markets.filter(({ question }) => question.toLowerCase() === text.toLowerCase());
  const fitting = whole.length > 0 ? whole : markets.filter(fitsText(text));
  const open = fitting.filter(({ isOpen }) => isOpen);
  const [only, another] = open.length > 0 ? open : fitting;
  if (only !== undefined && another === undefined) return only;
  if (only === undefined) {
    throw new UsageError(
      `no ${what} fits "${text}"`,
      `See \`presage ${what}s --all\`; give an id or words of its question.`,
    );
  }
  const candidates = (open.length > 0 ? open : fitting).slice(0, SHOWN);
  const lines = candidates.map(({ id, question }) => `  ${shortId(id)}  ${plain(question)}`);
  throw new UsageError(`several ${what}s fit "${text}":\n${lines.join('\n')}`, 'Give more words, or more of the id.');
}

function fitsText(text: string): (market: NamedMarket) => boolean {
  const lower = text.toLowerCase();
  if (ID.test(text) || ID_BEGINNING.test(text)) return ({ id }) => id.startsWith(lower);
  const words = lower.split(/\s+/).filter(Boolean);
  return ({ question }) => words.length > 0 && words.every((word) => question.toLowerCase().includes(word));
}
