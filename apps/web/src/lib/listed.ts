// Entries of lists: single markets, and events, whose markets are shown as outcomes.
import type { EventOutcome, Market, MarketEvent, OutcomeName } from '@presage/sdk';
import { percent, priceText } from './format.ts';

export type ListedEvent = MarketEvent & Pick<Market, 'kind' | 'volume' | 'change24h'>;
export type Listed = Market | ListedEvent;

export function toListed(markets: readonly Market[], events: readonly MarketEvent[]): Listed[] {
  return [
    ...markets.filter(({ event }) => event === undefined),
    ...events.map((event) => ({ ...event, kind: 'standard' as const, volume: event.totalVolume, change24h: null })),
  ];
}

export function isEvent(listed: Listed): listed is ListedEvent {
  return 'outcomes' in listed;
}

export function hrefOf(listed: Listed): string {
  return `/${isEvent(listed) ? 'e' : 'm'}/${listed.id}`;
}

/** Sorts outcomes by chance, the most likely first; outcomes without a price come last. */
export function byChance(outcomes: readonly EventOutcome[]): EventOutcome[] {
  return outcomes.toSorted((a, b) => Number(b.chance ?? -1) - Number(a.chance ?? -1) || a.index - b.index);
}

/** The chance of a market, or the most likely outcome of an event. */
export function chanceText(listed: Listed): string {
  const { chance, name } = isEvent(listed) ? { ...byChance(listed.outcomes)[0] } : { chance: listed.chance, name: '' };
  return chance == null ? 'New' : `${name} ${percent(chance)}`.trim();
}

/** Current price of a share of each outcome: the best ask of its own book, as in the ticket. */
export function askTexts({ bestAskPrice, bestNoAskPrice }: Asks): Readonly<Record<OutcomeName, string>> {
  const text = (price: Asks['bestAskPrice']) => (price ? priceText(price) : '–');
  return { YES: text(bestAskPrice), NO: text(bestNoAskPrice) };
}

type Asks = Pick<Market, 'bestAskPrice' | 'bestNoAskPrice'>;
