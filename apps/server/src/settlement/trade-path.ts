// The stages a trade must pass to get from where it stands to where its transaction is.
import { TRADE_MOVES } from '@presage/engine';
import type { TradeStage } from '@presage/protocol';

/** Shortest way through the allowed moves, without the start; empty when there is no way or nothing to do. */
export function pathTo(from: TradeStage, to: TradeStage): TradeStage[] {
  const ways: TradeStage[][] = [[from]];
  const seen = new Set<TradeStage>([from]);
  for (const way of ways) {
    const at = way.at(-1) as TradeStage;
    if (at === to) return way.slice(1);
    for (const next of TRADE_MOVES[at]) {
      if (next === 'failed' || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [];
}
