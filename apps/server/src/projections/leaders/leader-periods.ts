// Periods of the leaderboard: the UTC day, the UTC week, and all time.
import type { LeaderPeriod } from '@presage/protocol';

/** Lengths in seconds; 0 for all time. */
export const PERIOD_SECONDS: Readonly<Record<LeaderPeriod, number>> = { day: 86_400, week: 604_800, all: 0 };

/** First Monday of Unix time. */
const MONDAY_SECONDS = 345_600;

/** Start of the period that contains a time, in Unix seconds: midnight, Monday, or 0. */
export function startOfPeriod(timeMs: number, seconds: number): number {
  if (seconds === 0) return 0;
  const second = Math.floor(timeMs / 1_000) - MONDAY_SECONDS;
  return MONDAY_SECONDS + second - (((second % seconds) + seconds) % seconds);
}
