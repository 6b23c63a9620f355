// The engine's durable state as the modules of one chain see it: its own markets, and what is ordered and traded in them.
import type { Engine, MarketView, OrderView, TradeView } from '@presage/engine';
import type { EngineCommand, EngineOutput, MarketFacts, MarketId, OrderHash } from '@presage/protocol';

type Reads = Pick<
  Engine,
  'facts' | 'market' | 'marketCount' | 'markets' | 'order' | 'openOrders' | 'trade' | 'unsettledTrades' | 'preview'
>;

/** No module has to remember that there are other chains: it cannot see them. */
export class ChainReads implements Reads {
  readonly #reads: Reads;
  readonly #chainId: number;

  constructor(reads: Reads, chainId: number) {
    this.#reads = reads;
    this.#chainId = chainId;
  }

  facts(marketId: MarketId): MarketFacts | undefined {
    return this.#isHere(marketId) ? this.#reads.facts(marketId) : undefined;
  }

  market(marketId: MarketId): MarketView | undefined {
    return this.#isHere(marketId) ? this.#reads.market(marketId) : undefined;
  }

  /** Counts the markets of all chains: it changes whenever one is listed, without a look at every market. */
  get marketCount(): number {
    return this.#reads.marketCount;
  }

  markets(): MarketView[] {
    return this.#reads.markets().filter(({ facts }) => facts.chainId === this.#chainId);
  }

  order(hash: OrderHash): OrderView | undefined {
    const order = this.#reads.order(hash);
    return order !== undefined && this.#isHere(order.signed.order.marketId) ? order : undefined;
  }

  openOrders(filter?: Parameters<Engine['openOrders']>[0]): OrderView[] {
    return this.#reads.openOrders(filter).filter(({ signed }) => this.#isHere(signed.order.marketId));
  }

  trade(marketId: MarketId, tradeId: string): TradeView | undefined {
    return this.#isHere(marketId) ? this.#reads.trade(marketId, tradeId) : undefined;
  }

  unsettledTrades(): TradeView[] {
    return this.#reads.unsettledTrades().filter(({ marketId }) => this.#isHere(marketId));
  }

  preview(command: EngineCommand): EngineOutput[] {
    return this.#reads.preview(command);
  }

  #isHere(marketId: MarketId): boolean {
    return this.#reads.facts(marketId)?.chainId === this.#chainId;
  }
}
