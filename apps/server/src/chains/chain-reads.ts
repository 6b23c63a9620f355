// The engine's durable state restricted to one chain: its markets, their orders and trades.
import type {
  Engine,
  MarketView,
  OrderView,
  RetiredFilter,
  RetiredMarket,
  TradeBrief,
  TradeView,
} from '@presage/engine';
import type { MarketId, OrderHash } from '@presage/protocol';

type Reads = Pick<
  Engine,
  | 'facts'
  | 'market'
  | 'marketCount'
  | 'activeMarkets'
  | 'retiredMarkets'
  | 'marketsNamed'
  | 'order'
  | 'openOrders'
  | 'trade'
  | 'unsettledTrades'
  | 'unsettledBriefs'
  | 'preview'
>;

/** Hides the markets of other chains, so that no module can forget to filter them out. */
export class ChainReads implements Reads {
  readonly #reads: Reads;
  readonly #chainId: number;

  constructor(reads: Reads, chainId: number) {
    this.#reads = reads;
    this.#chainId = chainId;
  }

  readonly facts: Reads['facts'] = (id) => (this.#isHere(id) ? this.#reads.facts(id) : undefined);
  readonly market: Reads['market'] = (id) => (this.#isHere(id) ? this.#reads.market(id) : undefined);
  readonly trade: Reads['trade'] = (id, tradeId) => (this.#isHere(id) ? this.#reads.trade(id, tradeId) : undefined);
  readonly preview: Reads['preview'] = (command) => this.#reads.preview(command);

  /** Number of markets of all chains: it changes with every listing, and reading it needs no scan. */
  get marketCount(): number {
    return this.#reads.marketCount;
  }

  activeMarkets(): MarketView[] {
    return this.#reads.activeMarkets().filter(({ facts }) => facts.chainId === this.#chainId);
  }

  retiredMarkets(filter: RetiredFilter = {}): Generator<RetiredMarket> {
    return this.#reads.retiredMarkets({ ...filter, chainId: this.#chainId });
  }

  marketsNamed(name: string): MarketView[] {
    return this.#reads.marketsNamed(name).filter(({ facts }) => facts.chainId === this.#chainId);
  }

  order(hash: OrderHash): OrderView | undefined {
    const order = this.#reads.order(hash);
    return order !== undefined && this.#isHere(order.signed.order.marketId) ? order : undefined;
  }

  openOrders(filter?: Parameters<Engine['openOrders']>[0]): OrderView[] {
    return this.#reads.openOrders({ ...filter, chainId: this.#chainId });
  }

  unsettledTrades(filter?: Parameters<Engine['unsettledTrades']>[0]): TradeView[] {
    return this.#reads.unsettledTrades({ ...filter, chainId: this.#chainId });
  }

  unsettledBriefs(filter?: Parameters<Engine['unsettledBriefs']>[0]): TradeBrief[] {
    return this.#reads.unsettledBriefs({ ...filter, chainId: this.#chainId });
  }

  #isHere(marketId: MarketId): boolean {
    return this.#reads.facts(marketId)?.chainId === this.#chainId;
  }
}
