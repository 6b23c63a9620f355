// Maps markets and books to the wire.
import type { MarketView } from '@presage/engine';
import {
  type BestPrices,
  BUY,
  chanceOf,
  isDecided,
  type MarketEvent,
  type MarketId,
  type MarketStatus,
  type MarketTexts,
  NO,
  type Outcome,
  PresageError,
  quoteYes,
  SELL,
  type Side,
  toChecksumAddress,
  toSeconds,
  YES,
} from '@presage/protocol';
import type { MarketReads } from '../../host/ports.ts';
import type { MarketFigures } from '../../projections/figures/figures-queries.ts';
import type { Wire } from '../answer.ts';
import type { ApiServices } from '../services.ts';

function toMarket(
  view: MarketView,
  reads: MarketReads,
  context: {
    figures: MarketFigures;
    nowSeconds: number;
    sparkline: readonly number[] | undefined;
    presentation: ApiServices['presentation'];
  },
): Wire<'Market'> {
  const { facts, resolution } = view;
  const { figures, nowSeconds, sparkline, presentation } = context;
  const texts = presentation.textsOf(view);
  const best = bestPricesOf(reads, facts.marketId);
  const chance = chanceOf(quoteYes(best), figures.lastYesPrice);
  return {
    id: facts.marketId,
    question: texts.question,
    description: texts.description,
    category: texts.category,
    contractAddress: toChecksumAddress(facts.contractAddress),
    maker: toChecksumAddress(facts.maker),
    expiration: facts.expiration,
    chainId: facts.chainId,
    resolved: isDecided(resolution),
    bestAskPrice: best.yesAsk,
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
    bestBidPrice: best.yesBid,
    bestNoAskPrice: best.noAsk,
    kind: facts.kind,
    updatedAt: toSeconds(view.updatedMs),
    feeRateBps: facts.feeRateBps ?? 0,
    makerShareBps: facts.makerShareBps ?? 0,
    chance,
    change24h: chance === null || figures.dayAgoYesPrice === null ? null : chance - figures.dayAgoYesPrice,
    ...(texts.source !== '' && { source: texts.source }),
    ...(texts.imageUrl !== '' && { imageUrl: texts.imageUrl }),
    ...(presentation.isFeatured(facts.marketId) && { featured: true as const }),
    ...(presentation.isPaused(facts.marketId) && { paused: true as const }),
    ...(facts.earlyResolution && { earlyResolution: true as const }),
    ...(facts.event && { event: toEventOfMarket(facts.event) }),
    ...(isEdited(view, texts) && { asCreated: { question: facts.question, description: facts.description } }),
    ...(sparkline !== undefined && { sparkline: chance === null ? [] : [...sparkline.slice(0, -1), chance] }),
  };
}

export function toEventOfMarket({ id, index, name }: MarketEvent): Wire<'EventOfMarket'> {
  return { id, index, name };
}

/** Whether an operator edited the texts. The description on chain contains the source, so both are compared together. */
function isEdited({ facts }: MarketView, { question, description, source }: MarketTexts): boolean {
  const described = source === '' ? [description] : [`${description}\n\nSource: ${source}`, `Source: ${source}`];
  return question !== facts.question || !described.includes(facts.description);
}

export function bestPricesOf(reads: MarketReads, marketId: MarketId): BestPrices {
  const best = (outcome: Outcome, side: Side) => reads.bestPrice(marketId, outcome, side);
  return { yesBid: best(YES, BUY), yesAsk: best(YES, SELL), noBid: best(NO, BUY), noAsk: best(NO, SELL) };
}

const NOTHING_TRADED: MarketFigures = {
  volume: 0n,
  volume24h: 0n,
  tradeCount: 0,
  lastPrice: 0,
  lastYesPrice: 0,
  dayAgoYesPrice: null,
};

export function marketOf(reads: Pick<MarketReads, 'market'>, marketId: MarketId): MarketView {
  const market = reads.market(marketId);
  if (market === undefined) throw new PresageError('market_not_found', { marketId });
  return market;
}

export interface MarketReaderServices extends Pick<ApiServices, 'reads' | 'clock' | 'presentation'> {
  readonly views: Pick<ApiServices['views'], 'listMarketFigures' | 'listSparklines'>;
}

/** Reads markets with their figures and maps them to the wire. */
export class MarketReader {
  readonly #services: MarketReaderServices;

  constructor(services: MarketReaderServices) {
    this.#services = services;
  }

  async one(marketId: MarketId): Promise<Wire<'Market'>> {
    const [answer] = await this.list([marketOf(this.#services.reads, marketId)]);
    if (answer === undefined) throw new PresageError('market_not_found', { marketId });
    return answer;
  }

  async list(markets: readonly MarketView[], withSparklines = false): Promise<Wire<'Market'>[]> {
    const { reads, views, clock, presentation } = this.#services;
    const ids = markets.map(({ facts }) => facts.marketId);
    const [allFigures, sparklines] = await Promise.all([
      views.listMarketFigures(clock.nowMs(), ids),
      withSparklines ? views.listSparklines(clock.nowMs(), ids) : undefined,
    ]);
    const nowSeconds = clock.nowSeconds();
    return markets.map((view) => {
      const figures = allFigures.get(view.facts.marketId) ?? NOTHING_TRADED;
      const sparkline = sparklines && (sparklines.get(view.facts.marketId) ?? []);
      return toMarket(view, reads, { figures, nowSeconds, sparkline, presentation });
    });
  }
}

/**
 * Status of a market. Uses the service clock: a market is expired from its expiration on, even if no tick has closed it yet. A
 * market whose early proposal was rejected is open again.
 */
export function toMarketStatus({ facts, status, resolution }: MarketView, nowSeconds: number): MarketStatus {
  const isWaiting = resolution?.status === 'expired' && status === 'open' && facts.expiration > nowSeconds;
  if (resolution !== undefined && !isWaiting) return resolution.status;
  return status === 'closed' || facts.expiration <= nowSeconds ? 'expired' : 'open';
}

export function toOrderbook(
  reads: MarketReads,
  marketId: MarketId,
  outcome: Outcome | undefined,
): Wire<'OrderbookSnapshot'> {
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

/** Levels of one book; without an outcome those of both, best price first and never summed across outcomes. */
function levelsOf(reads: MarketReads, marketId: MarketId, side: Side, outcome: Outcome | undefined): Wire<'Level'>[] {
  if (outcome !== undefined) return reads.levels(marketId, outcome, side);
  const levels = ([0, 1] as const).flatMap((each) =>
    reads.levels(marketId, each, side).map((level) => ({ ...level, outcome: each })),
  );
  const direction = side === BUY ? -1 : 1;
  return levels.sort((a, b) => direction * (a.price - b.price) || a.outcome - b.outcome);
}
