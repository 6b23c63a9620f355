// The chance over time as equally spaced points, so that an hour is as wide as any other hour however much was traded in it.
import type { CandleInterval } from '@presage/sdk';
import type { ChartPoint, Point } from './line-chart.ts';

export interface ChartRange {
  readonly name: string;
  /** Undefined: since the first trade or quote. */
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

/** The finest candles of which a chart still has enough: a market of this morning is not drawn by the hour. */
export function intervalFor({ seconds, interval }: ChartRange, ageSeconds: number): CandleInterval {
  if (seconds !== undefined) return interval;
  const fine = (['1m', '5m', '15m'] as const).find((each) => ageSeconds <= STEPS * CANDLE_SECONDS[each]);
  return fine ?? interval;
}

/** From the range's start, or from the first point, to `end`; the value at each step is the last one known then. */
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
 * Trades where each is known, and before them the candles, each at its end: what was drawn once stays where it is, and nothing is
 * drawn before it happened. `trades` are oldest first.
 */
export function historyOf(candles: readonly Candle[], trades: readonly Point[], interval: CandleInterval): Point[] {
  const oldest = trades[0]?.time ?? Number.POSITIVE_INFINITY;
  const past = candles
    .map(({ time, close }) => ({ time: time + CANDLE_SECONDS[interval], value: close }))
    .filter(({ time }) => time <= oldest);
  return [...past, ...trades];
}

/** Both in order; at the same second, what the page saw comes after what was traded. */
export function mergePoints(history: readonly Point[], seen: readonly Point[]): Point[] {
  return [...history, ...seen].sort((a, b) => a.time - b.time);
}

const MOST_SEEN = 20_000;

/** One a second, of the last hours: a busy market changes many times as often, and a tab may be open for days. */
export function withSeen(seen: readonly Point[], point: Point): readonly Point[] {
  const kept = seen.at(-1)?.time === point.time ? seen.slice(0, -1) : seen;
  // The older half goes at once, since all is drawn anew when the beginning goes.
  return [...(kept.length < MOST_SEEN ? kept : kept.slice(MOST_SEEN / 2)), point];
}

/** Nothing but one more point or a newer last one: candles that come late change what is before it. */
export function isContinued(before: readonly ChartPoint[], now: readonly ChartPoint[]): boolean {
  const kept = now.slice(0, -1);
  const hasOneMore = before.length === kept.length;
  if (before.length === 0 || !(hasOneMore || before.length === now.length)) return false;
  return kept.every(({ time, value }, at) => time === before[at]?.time && value === before[at]?.value);
}
