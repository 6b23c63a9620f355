// How markets are shown: with the texts of the chain, or with those that operators edited.
import type { MarketView } from '@presage/engine';
import type { MarketId, MarketTexts } from '@presage/protocol';
import type { Category, OperatorState } from './operator-state.ts';

export class MarketPresentation {
  readonly #state: OperatorState;

  constructor(state: OperatorState) {
    this.#state = state;
  }

  textsOf(market: Pick<MarketView, 'facts'>): MarketTexts {
    return textsOf(market, this.#state);
  }

  questionOf(marketId: MarketId, onChain: string): string {
    return this.#state.textsOf(marketId)?.question ?? onChain;
  }

  isFeatured(marketId: MarketId): boolean {
    return this.#state.isFeatured(marketId);
  }

  isPaused(marketId: MarketId): boolean {
    return this.#state.pauseOf(marketId) !== undefined;
  }

  categories(): readonly Category[] {
    return this.#state.categories();
  }
}

/** The fields that traders agreed to with the first trade. */
export const WORDING = ['question', 'description', 'source'] as const;

/** The texts that are shown now. */
export function textsOf({ facts }: Pick<MarketView, 'facts'>, state: OperatorState): MarketTexts {
  const texts = state.textsOf(facts.marketId);
  if (texts !== undefined) return { ...texts, category: state.toCategory(texts.category) };
  const { question, description, category } = facts;
  return { question, description, category: state.toCategory(category), source: '', imageUrl: '' };
}

/** Includes the source, because the oracle's voters read only what is on chain. */
export function describeOnChain({ description, source }: Pick<MarketTexts, 'description' | 'source'>): string {
  if (source === '') return description;
  return description === '' ? `Source: ${source}` : `${description}\n\nSource: ${source}`;
}
