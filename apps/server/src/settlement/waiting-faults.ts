// Trades that fail once their market takes orders again, with their faults.
import type { TradeView } from '@presage/engine';
import type { ChainContext } from '../chains/chain-context.ts';
import type { TradeFault } from '../host/host-commands.ts';
import type { StoppedReturns } from './stopped-returns.ts';
import type { WaitingTrades } from './waiting-trades.ts';

export const FAULT_WAITS = 'a failed fill waits until its market takes orders again';

export class WaitingFaults {
  readonly #context: Pick<ChainContext, 'reads' | 'log'>;
  readonly #trades: Pick<WaitingTrades, 'get'>;
  readonly #stoppedReturns: StoppedReturns | undefined;
  readonly #faults = new Map<string, TradeFault>();

  constructor(
    context: Pick<ChainContext, 'reads' | 'log'>,
    trades: Pick<WaitingTrades, 'get'>,
    stoppedReturns: StoppedReturns | undefined,
  ) {
    this.#context = context;
    this.#trades = trades;
    this.#stoppedReturns = stoppedReturns;
  }

  get size(): number {
    return this.#faults.size;
  }

  /** Whether the trade must not fail now; if so, keeps its fault. */
  keep(trade: TradeView, fault: TradeFault): boolean {
    if (this.#stoppedReturns?.mustWait(trade, fault) !== true) return false;
    const { tradeId, marketId } = trade;
    if (!this.#faults.has(tradeId)) this.#context.log.warn({ tradeId, marketId, reason: fault.reason }, FAULT_WAITS);
    this.#faults.set(tradeId, fault);
    return true;
  }

  /** Trades that still may not fail. The others are judged again, since the cause may have changed. */
  review(): string[] {
    for (const [tradeId, fault] of this.#faults) if (!this.#mustWait(tradeId, fault)) this.#faults.delete(tradeId);
    return [...this.#faults.keys()];
  }

  remove(tradeId: string): void {
    this.#faults.delete(tradeId);
  }

  #mustWait(tradeId: string, fault: TradeFault): boolean {
    const trade = this.#trades.get(tradeId);
    const view = trade && this.#context.reads.trade(trade.marketId, tradeId);
    return view !== undefined && this.#stoppedReturns?.mustWait(view, fault) === true;
  }
}
