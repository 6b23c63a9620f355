// Finds open markets that are similar to another one.
import type { Market } from '@presage/sdk';

type Subject = Pick<Market, 'id' | 'question' | 'category'>;

/** Shorter words are mostly connectives and say nothing about the subject. */
const SHORTEST = 4;
const COMMON = new Set([
  'will',
  'before',
  'after',
  'than',
  'this',
  'that',
  'with',
  'from',
  'more',
  'least',
  'have',
  'does',
]);

function wordsOf(question: string): Set<string> {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= SHORTEST && !COMMON.has(word)));
}

/**
 * Markets that share the most words of the question, then markets of the same category; ties go to the most traded. Leaves out markets
 * that share nothing, and outcomes of events, because all outcomes of an event share its question.
 */
export function relatedMarkets(markets: readonly Market[], subject: Subject, most: number): Market[] {
  const words = wordsOf(subject.question);
  const scored = markets
    .filter(({ id, status, kind, event }) => id !== subject.id && status === 'open' && kind === 'standard' && !event)
    .map((market) => {
      const shared = [...wordsOf(market.question)].filter((word) => words.has(word)).length;
      return { market, score: 2 * shared + Number(market.category === subject.category) };
    });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || Number(b.market.volume) - Number(a.market.volume))
    .slice(0, most)
    .map(({ market }) => market);
}
