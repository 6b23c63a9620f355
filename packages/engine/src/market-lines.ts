// The checkpoint format of a market's own fields: fixed fields in a fixed order.
import type { MarketCloseReason, MarketFacts, MarketResolution } from '@presage/protocol/engine-types';
import type { MarketRecord } from './records.ts';

export type MarketLine = readonly [
  tag: 'market',
  closeReason: MarketCloseReason | null,
  step: number,
  tradeCount: number,
  updatedMs: number,
  facts: MarketFacts,
];

export type ResolutionLine = readonly [tag: 'resolution', resolution: MarketResolution];

export type MarketOfLine = Pick<MarketRecord, 'closeReason' | 'step' | 'tradeCount' | 'updatedMs' | 'facts'>;

export function toMarketLine(market: MarketOfLine): MarketLine {
  const { closeReason, step, tradeCount, updatedMs, facts } = market;
  return ['market', closeReason ?? null, step, tradeCount, updatedMs, facts];
}

export function toResolutionLine(resolution: MarketResolution): ResolutionLine {
  return ['resolution', resolution];
}
