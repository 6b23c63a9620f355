// How a rolling day is put together: whole hours, the minutes before the first of them, and single trades before those.
import { DAY_MS } from '@presage/protocol';
import { HOUR_SECONDS, MINUTE_SECONDS } from '../candles/candle-model.ts';

export interface RollingDay {
  /** Younger trades count. */
  readonly sinceMs: number;
  /** Unix seconds: the first minute and the first hour that lie in the day whole. */
  readonly firstMinute: number;
  readonly firstHour: number;
}

export function rollingDayBefore(nowMs: number): RollingDay {
  const sinceMs = nowMs - DAY_MS;
  const firstAfter = (seconds: number) => (Math.floor(sinceMs / 1_000 / seconds) + 1) * seconds;
  return { sinceMs, firstMinute: firstAfter(MINUTE_SECONDS), firstHour: firstAfter(HOUR_SECONDS) };
}
