// Which markets are related: by the words of their questions, then by category.
import type { Market } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { relatedMarkets } from '../src/lib/related.ts';

interface Given {
  readonly question: string;
  readonly category?: string;
  readonly volume?: number;
  readonly status?: Market['status'];
  readonly kind?: Market['kind'];
}

/** What the function looks at; the rest of a market does not matter to it. */
function marketOf({ question, category = 'general', volume = 0, status = 'open', kind = 'standard' }: Given): Market {
  return { id: question, question, category, volume, status, kind } as Market;
}

const SUBJECT = { id: 'subject', question: 'Will Ethereum trade above $5,000 before June?', category: 'defi' };
const found = (given: readonly Given[], most = 4) =>
  relatedMarkets(given.map(marketOf), SUBJECT, most).map(({ question }) => question);

describe('related markets', () => {
  it('share words of the question, the most of them first', () => {
    const two = 'Will Ethereum trade above $9,000 by July?';
    const one = 'Does Ethereum have 2 million validators?';
    expect(found([{ question: one }, { question: two }, { question: 'Does it rain?' }])).toEqual([two, one]);
  });

  it('are of the same category otherwise, the most traded first', () => {
    const small = { question: 'A?', category: 'defi', volume: 1 };
    const large = { question: 'B?', category: 'defi', volume: 2 };
    expect(found([small, large, { question: 'C?' }])).toEqual(['B?', 'A?']);
  });

  it('share more than words that every question has', () => {
    expect(found([{ question: 'Will this be more than that before?' }])).toEqual([]);
  });

  it('are open, of the standard kind, never the market itself, and no more than asked for', () => {
    const alike = { question: 'Ethereum?' };
    const others: Given[] = [
      { ...alike, status: 'resolved' },
      { ...alike, kind: 'quick' },
      ...['1', '2', '3'].map((number) => ({ question: `Ethereum ${number}?` })),
    ];
    expect(relatedMarkets([marketOf({ question: 'subject' })], { ...SUBJECT, question: 'subject' }, 4)).toEqual([]);
    expect(found(others, 2)).toEqual(['Ethereum 1?', 'Ethereum 2?']);
  });

  it('compare words of any alphabet, whatever their case', () => {
    const subject = { id: 'x', question: 'Steigt der ZINSSATZ?', category: 'a' };
    const related = marketOf({ question: 'Wann fällt der Zinssatz?', category: 'b' });
    expect(relatedMarkets([related], subject, 4)).toEqual([related]);
  });
});
