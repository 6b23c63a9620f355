// Delays faults that would return an order to a market that takes no orders: a returned order matches at once, so they wait until orders are taken again.
import type { TradeView } from '@presage/engine';
import { BUY, type Fault, type MarketId, type OrderHash } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { TradeFault } from '../host/host-commands.ts';

/** Pauses of a market, halts of all trading, and closings that are not carried out yet. */
export interface MarketStops {
  checkMarket(marketId: MarketId): Fault | undefined;
  /** Calls the listener at the end of a stop; returns a function to unsubscribe. */
  onLifted(listener: () => void): () => void;
}

export class StoppedReturns {
  readonly #context: Pick<ChainContext, 'reads' | 'clock'>;
  readonly #stops: MarketStops;

  constructor(context: Pick<ChainContext, 'reads' | 'clock'>, stops: MarketStops) {
    this.#context = context;
    this.#stops = stops;
  }

  /** Whether the trade must not fail now. Orders never return to a market that is over, so such trades may fail. */
  mustWait(trade: TradeView, fault: TradeFault): boolean {
    if (this.#stops.checkMarket(trade.marketId) === undefined) return false;
    const returning = returningOrder(trade, fault);
    return returning !== undefined && this.#isOpen(trade.marketId) && this.#mayReturn(returning);
  }

  #isOpen(marketId: MarketId): boolean {
    const { reads, clock } = this.#context;
    const market = reads.market(marketId);
    return market !== undefined && market.status === 'open' && market.facts.expiration > clock.nowSeconds();
  }

  #mayReturn(orderHash: OrderHash): boolean {
    const { reads, clock } = this.#context;
    const order = reads.order(orderHash);
    if (order === undefined || order.status === 'cancelled') return false;
    const { terms, order: signed } = order.signed;
    return terms.timeInForce === 'GTC' && signed.expiration > clock.nowSeconds();
  }
}

/** The order that would return because the other party is at fault; the engine decides the same ("Repair of a failed fill" in docs/protocol.md). */
function returningOrder(trade: TradeView, { faultParty, overfilled }: TradeFault): OrderHash | undefined {
  const ending = faultParty === 'chain' ? overfilled : faultParty;
  if (ending !== 'buyer' && ending !== 'seller') return undefined;
  return (ending === 'buyer') === (trade.takerSide === BUY) ? trade.makerHash : trade.takerHash;
}
