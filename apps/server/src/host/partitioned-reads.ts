// Reads of several partitions as one: each query goes to the partition of its market, or to all of them.
import type { Engine, OrderView, RetiredFilter, TradeBrief, TradeView } from '@presage/engine';
import { type EngineCommand, type MarketId, partitionOfMarket, toServiceAnswer, toServiceSeq } from '@presage/protocol';
import type { MarketReads as Reads } from './ports.ts';

export class PartitionedReads implements Reads {
  readonly #engines: readonly Engine[];

  constructor(engines: readonly Engine[]) {
    this.#engines = engines;
  }

  readonly facts: Reads['facts'] = (marketId) => this.#of(marketId).facts(marketId);
  readonly market: Reads['market'] = (marketId) => this.#of(marketId).market(marketId);
  readonly markets: Reads['markets'] = () => this.#engines.flatMap((engine) => engine.markets());
  readonly activeMarkets: Reads['activeMarkets'] = () => this.#engines.flatMap((engine) => engine.activeMarkets());
  readonly retired: Reads['retired'] = (marketId) => this.#of(marketId).retired(marketId);
  readonly retiredTotals: Reads['retiredTotals'] = () => this.#engines.flatMap((engine) => engine.retiredTotals());
  readonly marketsNamed: Reads['marketsNamed'] = (name) => this.#engines.flatMap((engine) => engine.marketsNamed(name));
  readonly levels: Reads['levels'] = (marketId, ...book) => this.#of(marketId).levels(marketId, ...book);
  readonly levelSize: Reads['levelSize'] = (marketId, ...level) => this.#of(marketId).levelSize(marketId, ...level);
  readonly bestPrice: Reads['bestPrice'] = (marketId, ...book) => this.#of(marketId).bestPrice(marketId, ...book);
  readonly bookHash: Reads['bookHash'] = (marketId, outcome) => this.#of(marketId).bookHash(marketId, outcome);

  *retiredMarkets(filter?: RetiredFilter): ReturnType<Reads['retiredMarkets']> {
    for (const engine of this.#engines) yield* engine.retiredMarkets(filter);
  }

  get marketCount(): number {
    return this.#engines.reduce((sum, { marketCount }) => sum + marketCount, 0);
  }

  /** Searches all partitions, since the hash does not name the market; an order is in one partition at most. */
  readonly order: Reads['order'] = (hash) => {
    for (const engine of this.#engines) {
      const order = engine.order(hash);
      if (order !== undefined) return order;
    }
    return undefined;
  };

  readonly firstAnswer: Reads['firstAnswer'] = (signed) => {
    const partition = this.#indexOf(signed.order.marketId);
    const answer = this.#engines[partition]?.firstAnswer(signed);
    return answer && toServiceAnswer(answer, { partition, count: this.#engines.length });
  };

  /** Newest first. Partitions number their orders separately, so across several of them orders are sorted by time. */
  openOrders(filter: Parameters<Engine['openOrders']>[0] = {}): OrderView[] {
    if (filter.marketId !== undefined) return this.#of(filter.marketId).openOrders(filter);
    const open = this.#engines.flatMap((engine) => engine.openOrders(filter));
    return open.sort((a, b) => b.acceptedMs - a.acceptedMs).slice(0, filter.limit);
  }

  trade(marketId: MarketId, tradeId: string): TradeView | undefined {
    const trade = this.#of(marketId).trade(marketId, tradeId);
    return trade && this.#named(trade, this.#indexOf(marketId));
  }

  unsettledTrades(filter: Parameters<Engine['unsettledTrades']>[0] = {}): TradeView[] {
    const named = (engine: Engine, partition: number) =>
      engine.unsettledTrades(filter).map((trade) => this.#named(trade, partition));
    const { marketId } = filter;
    if (marketId !== undefined) return named(this.#of(marketId), this.#indexOf(marketId));
    return this.#engines.flatMap(named);
  }

  unsettledBriefs(filter: Parameters<Engine['unsettledBriefs']>[0] = {}): TradeBrief[] {
    if (filter.marketId !== undefined) return this.#of(filter.marketId).unsettledBriefs(filter);
    return this.#engines.flatMap((engine) => engine.unsettledBriefs(filter));
  }

  readonly preview: Reads['preview'] = (command) => {
    const marketId = marketOf(command);
    if (marketId === undefined) return this.#engines.flatMap((engine) => engine.preview(command));
    const partition = this.#indexOf(marketId);
    const count = this.#engines.length;
    // Only the answer to a replayed order names trades by their ids.
    return this.#engines[partition]!.preview(command).map((output) =>
      output.type === 'order-replayed'
        ? { ...output, answer: toServiceAnswer(output.answer, { partition, count }) }
        : output,
    );
  };

  #indexOf(marketId: MarketId): number {
    return partitionOfMarket(marketId, this.#engines.length);
  }

  #of(marketId: MarketId): Engine {
    return this.#engines[this.#indexOf(marketId)]!;
  }

  #named(trade: TradeView, partition: number): TradeView {
    return { ...trade, id: toServiceSeq({ partition, seq: trade.id }, this.#engines.length) };
  }
}

/** Market of a command; undefined for a command about all markets. */
function marketOf(command: EngineCommand): MarketId | undefined {
  switch (command.type) {
    case 'place-order':
      return command.order.marketId;
    case 'list-market':
      return command.market.marketId;
    case 'tick':
      return undefined;
    default:
      return command.marketId;
  }
}
