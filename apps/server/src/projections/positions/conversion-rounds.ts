// Recomputes stale positions, and positions to which a conversion carries a changed cost.
import type { BulkTransaction } from '../bulk-transaction.ts';
import { carriedTo } from './conversion-cost.ts';
import { PairMap } from './pair-map.ts';
import { PositionRewriter } from './position-rewriter.ts';
import type { StalePosition } from './position-rows.ts';
import {
  type ConvertedShares,
  LOAD_CONVERSIONS,
  type ShareEvent,
  toShareEvent,
  UPDATE_CARRIED,
  UPDATE_COST_GIVEN,
} from './share-event-rows.ts';

/** Limit on conversions of one transaction that depend on each other; beyond it they keep their present cost. */
const MOST_ROUNDS = 1_000;

/**
 * Each round settles at least the oldest conversion that still differs: a conversion depends on earlier ones only,
 * because a wallet's conversions have the same order in all its markets.
 */
export async function rewritePositions(sql: BulkTransaction, stale: readonly StalePosition[]): Promise<void> {
  let next = stale;
  for (let round = 0; round < MOST_ROUNDS && next.length > 0; round++) {
    const changed = await new PositionRewriter(sql).rewrite(next);
    next = await carryCosts(sql, changed);
  }
}

/** Returns the positions whose part of a conversion has changed. */
async function carryCosts(sql: BulkTransaction, changed: readonly ConvertedShares[]): Promise<StalePosition[]> {
  if (changed.length === 0) return [];
  await UPDATE_COST_GIVEN.run(sql, changed);
  const rows = (await LOAD_CONVERSIONS.run(sql, changed)).map(toShareEvent);
  const carried = [...groupByLog(rows).values()].flatMap(carryWithin);
  await UPDATE_CARRIED.run(sql, carried);
  return toStale(carried);
}

/** One stale position per pair, from its oldest part that differs. */
function toStale(carried: readonly Carried[]): StalePosition[] {
  const stale = new PairMap<StalePosition>();
  for (const { wallet, marketSeq, seq } of carried) {
    const fromSeq = Math.min(seq, stale.find(wallet, marketSeq)?.fromSeq ?? seq);
    const position = { wallet, marketSeq, updatedMs: 0, fromSeq };
    stale.set(position, position);
  }
  return stale.values();
}

type Carried = Pick<ShareEvent, 'wallet' | 'marketSeq' | 'seq'> & { readonly carried: bigint };

function carryWithin(events: ReadonlyMap<string, ShareEvent>): Carried[] {
  const parts = [...events.values()].flatMap((event) =>
    event.cause !== 'sync' && event.conversion ? [{ event, part: event.conversion }] : [],
  );
  const all = parts.reduce((sum, { part }) => sum + (part.costGiven ?? 0n), 0n);
  return parts.flatMap(({ event: { wallet, marketSeq, seq }, part }) => {
    const carried = carriedTo(part, { all, own: part.costGiven ?? 0n });
    return carried === part.carried ? [] : [{ wallet, marketSeq, seq, carried }];
  });
}

/** Rows of each log by market. If several markets of one log changed, each row was found several times. */
function groupByLog(events: readonly ShareEvent[]): Map<string, Map<string, ShareEvent>> {
  const groups = new Map<string, Map<string, ShareEvent>>();
  for (const event of events) {
    const key = `${event.wallet}/${event.place?.txHash}/${event.place?.logIndex}`;
    const group = groups.get(key) ?? new Map<string, ShareEvent>();
    groups.set(key, group.set(`${event.marketSeq}/${event.seq}`, event));
  }
  return groups;
}
