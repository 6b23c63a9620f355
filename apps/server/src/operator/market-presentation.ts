// How markets are shown: the texts of the chain, or what operators made of them.
import type { MarketView } from '@presage/engine';
import type { MarketId, MarketTexts } from '@presage/protocol';
import { textsOf } from './market-texts.ts';
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
