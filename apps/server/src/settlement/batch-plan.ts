// Which waiting trades may go into one batch now: pure, so that the causal rule can be tested as a table.
import type { TradeView } from '@presage/engine';

export interface BatchPlanInput {
  /** In the order they were matched. */
  readonly waiting: readonly TradeView[];
  /** Wallets with a fill in a batch that is not mined yet. */
  readonly busy: ReadonlySet<string>;
  readonly limit: number;
}

/**
 * A fill may go only when every earlier fill of either trader is mined or stands before it in the same batch.
 * So a trade that must wait makes its traders wait too, for everything after it.
 */
export function planBatch({ waiting, busy, limit }: BatchPlanInput): TradeView[] {
  const held = new Set(busy);
  const chosen: TradeView[] = [];
  for (const trade of waiting) {
    if (chosen.length === limit) break;
    if (held.has(trade.buyer) || held.has(trade.seller)) {
      held.add(trade.buyer);
      held.add(trade.seller);
    } else {
      chosen.push(trade);
    }
  }
  return chosen;
}
