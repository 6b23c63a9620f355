// The books of several partitions read as one: each question goes to the partition of its market, or to all of them.
import type { Engine, Level, MarketView, OrderView, TradeView } from '@presage/engine';
import {
  type EngineCommand,
  type EngineOutput,
  type MarketFacts,
  type MarketId,
  type OrderAnswer,
  type OrderHash,
  type Outcome,
  partitionOfMarket,
  type Side,
  type SignedOrder,
  toServiceAnswer,
  toServiceSeq,
} from '@presage/protocol';
import type { MarketReads } from './ports.ts';

export class PartitionedReads implements MarketReads {
  readonly #engines: readonly Engine[];

  constructor(engines: readonly Engine[]) {
    this.#engines = engines;
  }

  facts(marketId: MarketId): MarketFacts | undefined {
    return this.#of(marketId).facts(marketId);
  }

  market(marketId: MarketId): MarketView | undefined {
    return this.#of(marketId).market(marketId);
  }

  get marketCount(): number {
    return this.#engines.reduce((sum, { marketCount }) => sum + marketCount, 0);
  }

  markets(): MarketView[] {
    return this.#engines.flatMap((engine) => engine.markets());
  }

  /** An order is named without its market here: it is in one partition at most. */
  order(hash: OrderHash): OrderView | undefined {
    for (const engine of this.#engines) {
      const order = engine.order(hash);
      if (order !== undefined) return order;
    }
    return undefined;
  }

  firstAnswer(signed: SignedOrder): OrderAnswer | undefined {
    const partition = this.#indexOf(signed.order.marketId);
    const answer = this.#engines[partition]?.firstAnswer(signed);
    return answer && toServiceAnswer(answer, { partition, count: this.#engines.length });
  }

  /** Newest first; each partition counts its orders by itself, so that over several only their time tells. */
  openOrders(filter: Parameters<Engine['openOrders']>[0] = {}): OrderView[] {
    if (filter.marketId !== undefined) return this.#of(filter.marketId).openOrders(filter);
    const open = this.#engines.flatMap((engine) => engine.openOrders(filter));
    return open.sort((a, b) => b.acceptedMs - a.acceptedMs);
  }

  trade(marketId: MarketId, tradeId: string): TradeView | undefined {
    const trade = this.#of(marketId).trade(marketId, tradeId);
    return trade && this.#named(trade, this.#indexOf(marketId));
  }

  unsettledTrades(marketId?: MarketId): TradeView[] {
    const named = (engine: Engine, partition: number) =>
      engine.unsettledTrades(marketId).map((trade) => this.#named(trade, partition));
    if (marketId !== undefined) return named(this.#of(marketId), this.#indexOf(marketId));
    return this.#engines.flatMap(named);
  }

  preview(command: EngineCommand): EngineOutput[] {
    const marketId = marketOf(command);
    if (marketId === undefined) return this.#engines.flatMap((engine) => engine.preview(command));
    const partition = this.#indexOf(marketId);
    const count = this.#engines.length;
    // Only the answer to an order that was placed before names trades by their ids.
    return this.#engines[partition]!.preview(command).map((output) =>
      output.type === 'order-replayed'
        ? { ...output, answer: toServiceAnswer(output.answer, { partition, count }) }
        : output,
    );
  }

  levels(marketId: MarketId, outcome: Outcome, side: Side, limit?: number): Level[] {
    return this.#of(marketId).levels(marketId, outcome, side, limit);
  }

  levelSize(marketId: MarketId, outcome: Outcome, side: Side, price: number): number | bigint {
    return this.#of(marketId).levelSize(marketId, outcome, side, price);
  }

  bestPrice(marketId: MarketId, outcome: Outcome, side: Side): number {
    return this.#of(marketId).bestPrice(marketId, outcome, side);
  }

  bookHash(marketId: MarketId, outcome?: Outcome): string {
    return this.#of(marketId).bookHash(marketId, outcome);
  }

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

/** Undefined of what is about all markets. */
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
