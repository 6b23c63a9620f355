// The trades that a transaction of the view touches: those it loads and those it brings.
import type { TransactionSql } from '../../store/column-types.ts';
import { ViewFault } from '../view-fault.ts';
import { LOAD_TRADES, type LoadedTrade, type TradeState, toTradeState } from './trade-rows.ts';

export class TradeStates {
  readonly #expected = new Set<string>();
  readonly #wanted = new Set<string>();
  readonly #trades = new Map<string, TradeState>();
  #loaded: readonly TradeState[] = [];

  /** It will be matched in this transaction, so it need not be loaded. */
  expect(tradeId: string): void {
    this.#expected.add(tradeId);
  }

  want(tradeId: string): void {
    if (!this.#expected.has(tradeId)) this.#wanted.add(tradeId);
  }

  async load(sql: TransactionSql): Promise<void> {
    const rows = await LOAD_TRADES.run<LoadedTrade>(sql, [...this.#wanted]);
    this.#loaded = rows.map(toTradeState);
    for (const trade of this.#loaded) this.add(trade);
  }

  get loaded(): readonly TradeState[] {
    return this.#loaded;
  }

  add(trade: TradeState): void {
    this.#trades.set(trade.tradeId, trade);
  }

  find(tradeId: string): TradeState {
    const trade = this.#trades.get(tradeId);
    if (trade === undefined) throw new ViewFault(`trade ${tradeId} was never matched`);
    return trade;
  }
}
