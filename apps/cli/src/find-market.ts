// Finds one market or event by what the user typed: its id, a prefix of it, an asset symbol, or part of its question.
import { asHex, readOutcomeMarketId } from '@presage/protocol';
import type { Market, MarketEvent } from '@presage/sdk';
import type { Context } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { plain } from './output.ts';

/** The fields that identify a market, here or in a journal, or an event. */
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
  const { markets } = await reader.listMarkets({}, { signal });
  const named = markets.map((market) => ({ ...market, isOpen: market.status === 'open' }));
  return pickMarket(named, text);
}

export async function findEvent(context: Context, text: string): Promise<MarketEvent> {
  const { reader, signal } = context;
  if (ID.test(text)) return reader.getEvent(text, { signal });
  const { events } = await reader.listEvents({}, { signal });
  const named = events.map((event) => ({ ...event, isOpen: event.status === 'open' }));
  return pickMarket(named, text, 'event');
}

/** The beginning of an id, as much as tells it from the others: markets of an event begin the same, up to their index. */
export function shortId(id: string): string {
  return id.slice(0, readOutcomeMarketId(asHex(id)) === undefined ? 12 : 18);
}

async function findQuickMarket(context: Context, text: string): Promise<string | undefined> {
  const { quickMarkets } = await context.config();
  if (!quickMarkets.assets.includes(text.toUpperCase())) return undefined;
  const { quickMarket } = await context.reader.getQuickMarket(text, { signal: context.signal });
  return quickMarket?.marketId;
}

/** Open markets first: text that matches one open market means that one, whatever else it matches. */
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
