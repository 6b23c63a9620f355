// The chance over time as equally spaced points, so that every hour is equally wide however much was traded in it.
import type { CandleInterval } from '@presage/sdk';
import type { ChartPoint, Point } from './line-chart.ts';

export interface ChartRange {
  readonly name: string;
  /** Length of the range; undefined for everything since the first trade or quote. */
  readonly seconds: number | undefined;
  readonly interval: CandleInterval;
}

export const RANGES: readonly ChartRange[] = [
  { name: '1H', seconds: 3_600, interval: '1m' },
  { name: '1D', seconds: 86_400, interval: '5m' },
  { name: '1W', seconds: 7 * 86_400, interval: '1h' },
  { name: '1M', seconds: 30 * 86_400, interval: '1h' },
  { name: 'All', seconds: undefined, interval: '1h' },
];

const STEPS = 240;
const CANDLE_SECONDS: Readonly<Record<CandleInterval, number>> = {
  '1m': 60,
  '5m': 300,
  '15m': 900,
  '1h': 3_600,
  '4h': 14_400,
  '1d': 86_400,
};

/** The finest candles that cover the market's age with the chart's points: hourly ones are too coarse for a market of this morning. */
export function intervalFor({ seconds, interval }: ChartRange, ageSeconds: number): CandleInterval {
  if (seconds !== undefined) return interval;
  const fine = (['1m', '5m', '15m'] as const).find((each) => ageSeconds <= STEPS * CANDLE_SECONDS[each]);
  return fine ?? interval;
}

/** Samples the points from the start of the range, or from the first point, to `endSeconds`; each step has the last value known then. */
export function toLine(known: readonly Point[], range: ChartRange, endSeconds: number): ChartPoint[] {
  const first = known[0];
  if (first === undefined) return [];
  const seconds = range.seconds ?? Math.max(60, endSeconds - first.time);
  const step = Math.max(1, Math.ceil(seconds / STEPS));
  const end = endSeconds - (endSeconds % step) + step;
  const points: ChartPoint[] = [];
  let at = 0;
  let value: number | undefined;
  for (let time = end - STEPS * step; time <= end; time += step) {
    while (at < known.length && (known[at]?.time ?? 0) <= time) value = known[at++]?.value;
    if (value !== undefined || range.seconds !== undefined) points.push({ time, value });
  }
  return points;
}

interface Candle {
  /** Start of the interval, Unix seconds. */
  readonly time: number;
  readonly close: number;
}

/**
 * Trades for the period in which each is known, and candles before it. A candle is drawn at its end, so that nothing appears before it
 * happened and drawn points never move. `trades` are oldest first.
 */
export function historyOf(candles: readonly Candle[], trades: readonly Point[], interval: CandleInterval): Point[] {
  const oldest = trades[0]?.time ?? Number.POSITIVE_INFINITY;
  const past = candles
    .map(({ time, close }) => ({ time: time + CANDLE_SECONDS[interval], value: close }))
    .filter(({ time }) => time <= oldest);
  return [...past, ...trades];
}

/** Merges both by time; within a second, points that the page saw come after trades. */
export function mergePoints(history: readonly Point[], seen: readonly Point[]): Point[] {
  return [...history, ...seen].sort((a, b) => a.time - b.time);
}

const MOST_SEEN = 20_000;

/** Adds a point; keeps one a second and only the last hours, because a busy market changes more often and a tab may be open for days. */
export function withSeen(seen: readonly Point[], point: Point): readonly Point[] {
  const kept = seen.at(-1)?.time === point.time ? seen.slice(0, -1) : seen;
  // Drops the older half at once, because losing the first point redraws the whole chart.
  return [...(kept.length < MOST_SEEN ? kept : kept.slice(MOST_SEEN / 2)), point];
}

/** Whether only the last point was added or changed. Late candles change earlier points, so the line must be redrawn. */
export function isContinued(before: readonly ChartPoint[], now: readonly ChartPoint[]): boolean {
  const kept = now.slice(0, -1);
  const hasOneMore = before.length === kept.length;
  if (before.length === 0 || !(hasOneMore || before.length === now.length)) return false;
  return kept.every(({ time, value }, at) => time === before[at]?.time && value === before[at]?.value);
}
