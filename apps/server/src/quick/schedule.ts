// Which windows there are: a function of time and nothing else.
import { LIMITS } from '@presage/protocol';

const WINDOW_SECONDS = LIMITS.quickIntervalSeconds;

/** Contracts are to stand at least 60 s ahead; twice that leaves a slow chain a minute. */
export const LEAD_SECONDS = 120;

/** The start of the window that a moment lies in: :00, :15, :30 or :45 UTC. */
export function windowAt(seconds: number): number {
  return seconds - (seconds % WINDOW_SECONDS);
}

export function endOf(startTime: number): number {
  return startTime + WINDOW_SECONDS;
}

/** The windows whose contract should stand now: the one that runs, and the next when it is near. */
export function wantedWindows(nowSeconds: number): number[] {
  const current = windowAt(nowSeconds);
  const next = endOf(current);
  return next - nowSeconds <= LEAD_SECONDS ? [current, next] : [current];
}
