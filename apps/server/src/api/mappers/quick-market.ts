// Quick markets as the wire shows them: exact prices of the same decimals, and an outcome once it is on chain.
import {
  type BoundaryEvidence,
  isDecided,
  LIMITS,
  PRICE_DECIMALS,
  type PriceEvidence,
  type QuickMarket,
  type QuickWindow,
  SELL,
  toChecksumAddress,
  YES,
} from '@presage/protocol';
import type { MarketReads } from '../../host/ports.ts';
import type { Answer } from '../answer.ts';
import { toMarketStatus } from './market.ts';

interface QuickContext {
  readonly reads: MarketReads;
  readonly nowSeconds: number;
  readonly simulated: boolean;
}

/** The primary decides; fallbacks are for the eye only. */
const PRICE_SOURCE = 'pyth';

/** Undefined if the window was never opened. */
export function toQuickMarket(
  window: QuickWindow,
  { reads, nowSeconds, simulated }: QuickContext,
): Answer<typeof QuickMarket> | undefined {
  const { asset, startTime, creation, id, start, end } = window;
  const market = reads.market(creation.marketId);
  if (id === undefined || start === undefined || market === undefined) return undefined;
  const { resolution } = market;
  const isResolved = isDecided(resolution);
  const decisive = isResolved && resolution.status === 'resolved' ? end : undefined;
  const priceDecimals = decimalsOf(start, decisive);
  return {
    id,
    marketId: creation.marketId,
    asset,
    intervalMinutes: LIMITS.quickIntervalSeconds / 60,
    startPrice: toFigure(start, priceDecimals),
    startTime,
    endTime: market.facts.expiration,
    resolved: isResolved,
    priceSource: PRICE_SOURCE,
    createdAt: creation.createdAt,
    endPrice: decisive === undefined ? null : toFigure(decisive, priceDecimals),
    outcome: isResolved ? (resolution.winningOutcome ?? null) : null,
    contractAddress: toChecksumAddress(creation.contractAddress),
    priceDecimals,
    status: toMarketStatus(market, nowSeconds),
    bestAskPrice: reads.bestPrice(creation.marketId, YES, SELL),
    startEvidence: toEvidence(start),
    endEvidence: decisive === undefined ? null : toEvidence(decisive),
    ...(simulated && { simulated }),
  };
}

/** A feed that counts finer than usual keeps every digit. */
function decimalsOf(...prices: readonly (BoundaryEvidence | undefined)[]): number {
  return Math.max(PRICE_DECIMALS, ...prices.map((price) => -(price?.expo ?? 0)));
}

function toFigure({ price, expo }: BoundaryEvidence, decimals: number): number | bigint {
  const figure = BigInt(price) * 10n ** BigInt(decimals + expo);
  return Number.isSafeInteger(Number(figure)) ? Number(figure) : figure;
}

function toEvidence({ publishTime, payload }: BoundaryEvidence): Answer<typeof PriceEvidence> {
  return { source: PRICE_SOURCE, publishTime, payload };
}
