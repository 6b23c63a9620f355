// The trades that a transaction of the view touches: those it loads and those it brings.
import type { TransactionSql } from '../../store/column-types.ts';
import { ViewFault } from '../view-fault.ts';
import { LOAD_TRADES, type LoadedTrade, NOT_MINED, type TradeState, toTradeState } from './trade-rows.ts';

export class TradeStates {
  readonly #expected = new Set<string>();
  readonly #wanted = new Set<string>();
  readonly #trades = new Map<string, TradeState>();
  #loaded: readonly TradeState[] = [];
  #takenOver: readonly TradeState[] = [];
  /** Of the transaction before, while its rows may not be in the database yet. */
  #former: TradeStates | undefined;

  constructor(former?: TradeStates) {
    this.#former = former;
  }

  /** It will be matched in this transaction, so it need not be loaded. */
  expect(tradeId: string): void {
    this.#expected.add(tradeId);
  }

  want(tradeId: string): void {
    if (!this.#expected.has(tradeId)) this.#wanted.add(tradeId);
  }

  async load(sql: TransactionSql): Promise<void> {
    this.#takenOver = this.#takeOver();
    const rows = await LOAD_TRADES.run<LoadedTrade>(sql, [...this.#wanted]);
    this.#loaded = rows.map(toTradeState).concat(this.#takenOver);
    for (const trade of this.#loaded) this.add(trade);
  }

  /** Those that were there before this transaction. */
  get loaded(): readonly TradeState[] {
    return this.#loaded;
  }

  /** Those that the transaction before had in hand: what it computed anew in the database is not in them. */
  get takenOver(): readonly TradeState[] {
    return this.#takenOver;
  }

  /** Copies: the transaction before may not have written its own down yet. */
  #takeOver(): TradeState[] {
    const former = this.#former;
    this.#former = undefined;
    const taken: TradeState[] = [];
    if (former === undefined) return taken;
    for (const tradeId of this.#wanted) {
      const trade = former.#trades.get(tradeId);
      if (trade === undefined) continue;
      this.#wanted.delete(tradeId);
      taken.push({ ...trade, before: NOT_MINED });
    }
    return taken;
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
