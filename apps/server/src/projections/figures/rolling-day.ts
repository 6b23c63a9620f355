// Splits a rolling day into whole hours, the minutes before the first of them, and single trades before those.
import { DAY_MS } from '@presage/protocol';
import { HOUR_SECONDS, MINUTE_SECONDS } from '../candles/candle-model.ts';

/** Trades after `sinceMs` count. Minute and hour are the first whole ones within the day, in Unix seconds. */
export function rollingDayBefore(nowMs: number) {
  const sinceMs = nowMs - DAY_MS;
  const firstAfter = (seconds: number) => (Math.floor(sinceMs / 1_000 / seconds) + 1) * seconds;
  return { sinceMs, firstMinute: firstAfter(MINUTE_SECONDS), firstHour: firstAfter(HOUR_SECONDS) };
}
