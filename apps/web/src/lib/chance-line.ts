// The chance over time as equally spaced points, so that an hour is as wide as any other hour however much was traded in it.
import type { CandleInterval } from '@presage/sdk';
import type { ChartPoint, Point } from './line-chart.ts';

export interface ChartRange {
  readonly name: string;
  /** Undefined: since the first trade. */
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

/** From the range's start to now; the value at each step is the last one known then, none before the first trade. */
export function toLine(known: readonly Point[], range: ChartRange, nowSeconds: number): ChartPoint[] {
  const first = known[0];
  if (first === undefined) return [];
  const seconds = range.seconds ?? Math.max(60, nowSeconds - first.time);
  const step = Math.max(1, Math.ceil(seconds / STEPS));
  const end = nowSeconds - (nowSeconds % step) + step;
  const points: ChartPoint[] = [];
  let at = 0;
  let value: number | undefined;
  for (let time = end - STEPS * step; time <= end; time += step) {
    while (at < known.length && (known[at]?.time ?? 0) <= time) value = known[at++]?.value;
    points.push({ time, value });
  }
  return points;
}

/** Trades after the last candle extend the line. */
export function joinTrades(candles: readonly Point[], trades: readonly Point[]): Point[] {
  const last = candles.at(-1)?.time ?? 0;
  return [...candles, ...trades.filter(({ time }) => time >= last)].sort((a, b) => a.time - b.time);
}
