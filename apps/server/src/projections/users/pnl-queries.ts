// A wallet's profit over time: folds its fills and share moves once, and values them by the trades of each time.
import { type Address, LIMITS, PRICE_SCALE } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import { BulkTransaction } from '../bulk-transaction.ts';
import { type Position, sharesHeld } from '../positions/position-accounting.ts';
import { GrowingPosition } from '../positions/position-replay.ts';
import { LOAD_FILLS, toFillFact } from '../positions/position-rows.ts';
import { LOAD_EVENTS, toShareEvent } from '../positions/share-event-rows.ts';
import { yesPriceOf } from '../trades/trade-select.ts';
import { type ShareMarks, sharesValue, type ValuedHolding } from './valued-holding.ts';

export interface PnlPoint {
  readonly timeMs: number;
  readonly realized: bigint;
  readonly unrealized: bigint;
}

export interface PnlQuery {
  readonly wallet: Address;
  readonly holdings: readonly ValuedHolding[];
  readonly nowMs: number;
  /** Oldest requested time; undefined for the whole history. */
  readonly sinceMs: number | undefined;
}

/** A change of a position. */
interface Change {
  readonly seq: number;
  readonly marketSeq: number;
  /** Undefined for balances that were read: they count from the time of the previous change. */
  readonly timeMs: number | undefined;
  readonly addTo: (position: GrowingPosition) => void;
}

/** A position at one of the requested times. */
interface Snapshot {
  readonly step: number;
  readonly holding: ValuedHolding;
  readonly position: Position;
}

/** All points but the newest, which the current holdings give exactly; empty for a wallet that never traded. */
export async function listPnlPoints(sql: Sql, query: PnlQuery): Promise<PnlPoint[]> {
  const changes = await loadChanges(sql, query);
  const firstMs = changes.reduce((first, { timeMs }) => Math.min(first, timeMs ?? first), query.nowMs);
  if (changes.length === 0) return [];
  const fromMs = Math.max(firstMs, query.sinceMs ?? firstMs);
  const stepCount = LIMITS.pnlPoints - 1;
  const times = Array.from({ length: stepCount }, (_, step) => {
    return Math.floor(fromMs + ((query.nowMs - fromMs) * step) / stepCount);
  });
  const snapshots = query.holdings.flatMap((holding) => {
    return snapshotsOf(
      holding,
      changes.filter(({ marketSeq }) => marketSeq === holding.marketSeq),
      times,
    );
  });
  return sumPoints(times, snapshots, await loadPrices(sql, snapshots, times));
}

/** Changes are folded in journal order; a time earlier than the previous change's counts as the same time. */
function snapshotsOf(holding: ValuedHolding, changes: Change[], times: readonly number[]): Snapshot[] {
  const snapshots: Snapshot[] = [];
  const growing = new GrowingPosition();
  let next = 0;
  changes.sort((a, b) => a.seq - b.seq);
  for (const [step, timeMs] of times.entries()) {
    for (; next < changes.length; next++) {
      const change = changes[next]!;
      if (change.timeMs !== undefined && change.timeMs > timeMs) break;
      change.addTo(growing);
    }
    if (next > 0) snapshots.push({ step, holding, position: growing.position });
  }
  return snapshots;
}

function sumPoints(times: readonly number[], snapshots: readonly Snapshot[], prices: ReadonlyMap<string, number>) {
  const points = times.map((timeMs) => ({ timeMs, realized: 0n, unrealized: 0n }));
  for (const { step, holding, position } of snapshots) {
    const point = points[step];
    if (point === undefined) continue;
    const { yes, no, realizedPnl } = position;
    const isDecided = isDecidedAt(holding, point.timeMs);
    const marks =
      isDecided && holding.payouts ? holding.payouts : marksAt(holding, prices.get(`${holding.marketSeq}/${step}`));
    const held = { yesShares: sharesHeld(yes.shares), noShares: sharesHeld(no.shares) };
    const open = sharesValue(held, marks) - yes.cost - no.cost;
    point.realized += realizedPnl + (isDecided ? open : 0n);
    point.unrealized += isDecided ? 0n : open;
  }
  return points;
}

/**
 * Past bids are not stored: the bid is assumed as far below the last trade as it is now, so that the curve ends without
 * a step.
 */
function marksAt({ marks, lastYesPrice }: ValuedHolding, yesPrice: number | undefined): ShareMarks {
  if (yesPrice === undefined) return { yes: 0, no: 0 };
  const moved = yesPrice - lastYesPrice;
  const within = (price: number) => Math.min(PRICE_SCALE, Math.max(0, price));
  return { yes: within(marks.yes + moved), no: within(marks.no - moved) };
}

function isDecidedAt({ payouts, decidedMs }: ValuedHolding, timeMs: number): boolean {
  return payouts !== undefined && decidedMs !== null && decidedMs <= timeMs;
}

async function loadChanges(sql: Sql, { wallet, holdings }: PnlQuery): Promise<Change[]> {
  const pairs = holdings.map(({ marketSeq }) => ({ wallet, marketSeq, afterSeq: 0 }));
  const bulk = new BulkTransaction(sql);
  const [fills, shareEvents] = await Promise.all([LOAD_FILLS.run(bulk, pairs), LOAD_EVENTS.run(bulk, pairs)]);
  const fillChanges = fills.map((fill): Change => {
    const { seq, marketSeq, timeMs } = fill;
    return { seq, marketSeq, timeMs, addTo: (position) => position.addFill(toFillFact(fill)) };
  });
  const moveChanges = shareEvents.map(toShareEvent).map((event): Change => {
    const { seq, marketSeq, place } = event;
    const timeMs = place && place.timestamp * 1_000;
    return { seq, marketSeq, timeMs, addTo: (position) => position.addShareEvent(event) };
  });
  return [...fillChanges, ...moveChanges];
}

/** YES price of the last trade at each time when shares of an undecided market were held, by market and step. */
async function loadPrices(
  sql: Sql,
  snapshots: readonly Snapshot[],
  times: readonly number[],
): Promise<Map<string, number>> {
  const wanted = snapshots.filter(({ position, holding, step }) => {
    const isHeld = position.yes.shares > 0n || position.no.shares > 0n;
    return isHeld && !isDecidedAt(holding, times[step] ?? 0);
  });
  if (wanted.length === 0) return new Map();
  const asked = wanted.map(({ holding, step }) => ({ market: holding.marketSeq, step, at: times[step] ?? 0 }));
  const rows = await sql`select given.market, given.step, last.price
    from jsonb_to_recordset(${JSON.stringify(asked)}::text::jsonb) as given(market bigint, step integer, at bigint)
    cross join lateral (select ${yesPriceOf(sql)} as price from presage_view.trades t where t.market_seq = given.market
      and t.stage <> 'failed' and t.time_ms <= given.at order by t.time_ms desc, t.seq desc limit 1) last`;
  return new Map(rows.map(({ market, step, price }) => [`${market}/${step}`, price]));
}
