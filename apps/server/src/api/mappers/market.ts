// Markets and books as the wire shows them.
import type { Engine, MarketView } from '@presage/engine';
import {
  BUY,
  isDecided,
  type Level,
  type Market,
  type MarketId,
  type MarketStatus,
  type OrderbookSnapshot,
  type Outcome,
  SELL,
  type Side,
  toChecksumAddress,
  YES,
} from '@presage/protocol';
import type { MarketFigures } from '../../projections/figures/figures-queries.ts';
import type { Answer } from '../answer.ts';
import type { ApiServices } from '../services.ts';
import { toSeconds } from './seconds.ts';

function toMarket(
  view: MarketView,
  reads: Engine,
  context: { figures: MarketFigures; nowSeconds: number },
): Answer<typeof Market> {
  const { facts, resolution } = view;
  const { figures, nowSeconds } = context;
  return {
    id: facts.marketId,
    question: facts.question,
    description: facts.description,
    category: facts.category,
    contractAddress: toChecksumAddress(facts.contractAddress),
    maker: toChecksumAddress(facts.maker),
    expiration: facts.expiration,
    chainId: facts.chainId,
    resolved: isDecided(resolution),
    bestAskPrice: reads.bestPrice(facts.marketId, YES, SELL),
    createdAt: facts.createdAt,
    conditionId: facts.marketId,
    settlementAddress: toChecksumAddress(facts.settlementAddress),
    conditionalTokens: toChecksumAddress(facts.conditionalTokens),
    stablecoin: toChecksumAddress(facts.stablecoin),
    yesTokenId: facts.yesTokenId,
    noTokenId: facts.noTokenId,
    status: toMarketStatus(view, nowSeconds),
    winningOutcome: resolution?.winningOutcome ?? null,
    volume: figures.volume,
    volume24h: figures.volume24h,
    lastPrice: figures.lastPrice,
    lastYesPrice: figures.lastYesPrice,
    bestBidPrice: reads.bestPrice(facts.marketId, YES, BUY),
    kind: facts.kind,
    updatedAt: toSeconds(view.updatedMs),
  };
}

const NOTHING_TRADED = { volume: 0n, volume24h: 0n, tradeCount: 0, lastPrice: 0, lastYesPrice: 0 };

/** Markets as the wire shows them, figures and all. */
export function createMarketReader({ reads, views, clock }: Pick<ApiServices, 'reads' | 'views' | 'clock'>) {
  return async (markets: readonly MarketView[]): Promise<Answer<typeof Market>[]> => {
    const figures = await views.figures(markets.map(({ facts }) => facts.marketId));
    const nowSeconds = clock.nowSeconds();
    return markets.map((view) => {
      return toMarket(view, reads, { figures: figures.get(view.facts.marketId) ?? NOTHING_TRADED, nowSeconds });
    });
  };
}

/** By the service clock: a market is expired from its second on, whether or not a tick has closed it yet. */
export function toMarketStatus({ facts, status, resolution }: MarketView, nowSeconds: number): MarketStatus {
  if (resolution !== undefined) return resolution.status;
  return status === 'closed' || facts.expiration <= nowSeconds ? 'expired' : 'open';
}

export function toOrderbook(
  reads: Engine,
  marketId: MarketId,
  outcome: Outcome | undefined,
): Answer<typeof OrderbookSnapshot> {
  const market = reads.market(marketId);
  return {
    marketId,
    ...(outcome !== undefined && { outcome }),
    bids: levelsOf(reads, marketId, BUY, outcome),
    asks: levelsOf(reads, marketId, SELL, outcome),
    lastUpdate: market === undefined ? 0 : toSeconds(market.updatedMs),
    seq: market?.step ?? 0,
    hash: reads.bookHash(marketId, outcome),
  };
}

/** Without an outcome the levels of both books, best price first, never summed across outcomes. */
function levelsOf(reads: Engine, marketId: MarketId, side: Side, outcome: Outcome | undefined): Answer<typeof Level>[] {
  if (outcome !== undefined) return reads.levels(marketId, outcome, side);
  const levels = ([0, 1] as const).flatMap((each) =>
    reads.levels(marketId, each, side).map((level) => ({ ...level, outcome: each })),
  );
  const direction = side === BUY ? -1 : 1;
  return levels.sort((a, b) => direction * (a.price - b.price) || a.outcome - b.outcome);
}
