// What operators have stopped, as admission asks: everything, one market, or one wallet.
import type { Address, Fault, MarketId } from '@presage/protocol';
import type { OperatorState } from './operator-state.ts';

export class OrderControls {
  readonly #state: OperatorState;

  constructor(state: OperatorState) {
    this.#state = state;
  }

  /** The halt first: it says more. */
  checkMarket(marketId: MarketId): Fault | undefined {
    const { halt } = this.#state;
    if (halt !== undefined) return { code: 'exchange_halted', details: { reason: halt } };
    const pause = this.#state.pauseOf(marketId);
    return pause === undefined ? undefined : { code: 'market_paused', details: { marketId, reason: pause } };
  }

  /** Why is the operator's business, not the wallet's. */
  checkTrader(trader: Address): Fault | undefined {
    return this.#state.blockOf(trader) === undefined ? undefined : { code: 'wallet_blocked', details: { trader } };
  }
}
