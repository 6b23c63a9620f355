// Finds the stages that a trade must pass to reach the stage of its transaction.
import { TRADE_MOVES } from '@presage/engine';
import { MOVED_STAGES, type MovedStage, type TradeStage } from '@presage/protocol';

/** Shortest path of allowed moves, without the start; empty if there is none or nothing to do. */
export function pathTo(from: TradeStage, to: TradeStage): MovedStage[] {
  const ways: MovedStage[][] = [[]];
  const seen = new Set<TradeStage>([from]);
  for (const way of ways) {
    const at = way.at(-1) ?? from;
    if (at === to) return way;
    for (const next of MOVED_STAGES) {
      if (!TRADE_MOVES[at].includes(next) || seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return [];
}
