// The texts of a market: those on chain, those that are shown, and how one becomes the other.
import type { MarketView } from '@presage/engine';
import type { MarketTexts } from '@presage/protocol';
import type { OperatorState } from './operator-state.ts';

/** What traders have agreed to with the first trade. */
export const WORDING = ['question', 'description', 'source'] as const;

/** As they are shown now. */
export function textsOf({ facts }: Pick<MarketView, 'facts'>, state: OperatorState): MarketTexts {
  const texts = state.textsOf(facts.marketId);
  if (texts !== undefined) return { ...texts, category: state.toCategory(texts.category) };
  const { question, description, category } = facts;
  return { question, description, category: state.toCategory(category), source: '', imageUrl: '' };
}

/** The oracle's voters read what is on chain: the source belongs to it. */
export function describeOnChain({ description, source }: Pick<MarketTexts, 'description' | 'source'>): string {
  if (source === '') return description;
  return description === '' ? `Source: ${source}` : `${description}\n\nSource: ${source}`;
}
