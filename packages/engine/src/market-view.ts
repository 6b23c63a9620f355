// A market as it is read: a file of its own, since the market's record keeps the last one that was made.
import type { MarketCloseReason, MarketFacts, MarketResolution } from '@presage/protocol/engine-types';

export interface MarketView {
  readonly facts: MarketFacts;
  readonly status: 'open' | 'closed';
  /** Only of a closed market. */
  readonly closeReason?: MarketCloseReason;
  /** Undefined until a resolution is proposed or decided. */
  readonly resolution?: MarketResolution;
  /** Number of the last step. */
  readonly step: number;
  readonly tradeCount: number;
  /** Time of the last step. */
  readonly updatedMs: number;
}
