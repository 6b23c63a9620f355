// Decides which windows exist and the next step of each, by its stage and the time. Pure.
import { type Hex, LIMITS, type QuickWindow } from '@presage/protocol';

const WINDOW_SECONDS = LIMITS.quickIntervalSeconds;

/** Lead for creating contracts, which must exist 60 s ahead; twice that leaves a slow chain a minute. */
export const LEAD_SECONDS = 120;

/** Start of the window that contains a second: :00, :15, :30 or :45 UTC. */
export function windowAt(seconds: number): number {
  return seconds - (seconds % WINDOW_SECONDS);
}

export function endOf(startTime: number): number {
  return startTime + WINDOW_SECONDS;
}

/** Starts of the windows whose contract should exist now: the current one, and the next when it is near. */
export function wantedWindows(nowSeconds: number): number[] {
  const current = windowAt(nowSeconds);
  const next = endOf(current);
  return next - nowSeconds <= LEAD_SECONDS ? [current, next] : [current];
}

export interface QuickAsset {
  /** Symbol in upper case. */
  readonly asset: string;
  /** Oracle's id of its price feed. */
  readonly feedId: Hex;
}

export type WindowStep =
  | 'nothing'
  | 'create'
  | 'find-start'
  | 'skip'
  | 'strike'
  | 'find-end'
  | 'resolve'
  | 'give-up-end'
  | 'void';

/** Result so far of the search for a window's next price, in this run of the service. */
export interface Search {
  /** Number of searches without a price. */
  readonly misses: number;
  /** Unix seconds of the first miss. */
  readonly since: number;
}

export interface StepQuestion {
  readonly startTime: number;
  readonly nowSeconds: number;
  /** Undefined until the window has a contract. */
  readonly window?: QuickWindow | undefined;
  /** Undefined until a search found no price. */
  readonly search?: Search | undefined;
}

/** Time after which a missing start price is given up, from when it was due or from a later start of the service. */
const START_TIMEOUT_SECONDS = 60;
export const VOID_AFTER_SECONDS = 86_400;
/** Searches without an end price before a market is voided: a primary that is slow to connect after a start must not void it. */
export const MISSES_BEFORE_VOID = 10;

export function decideStep({ startTime, nowSeconds, window, search }: StepQuestion): WindowStep {
  const endTime = endOf(startTime);
  switch (window?.stage) {
    case undefined:
      return startTime - LEAD_SECONDS <= nowSeconds && nowSeconds < endTime ? 'create' : 'nothing';
    case 'created':
      if (nowSeconds < startTime) return 'nothing';
      return nowSeconds >= endTime || isStartUnavailable(startTime, nowSeconds, search) ? 'skip' : 'find-start';
    case 'striking':
      return 'strike';
    case 'open':
      if (nowSeconds < endTime) return 'nothing';
      return isEndUnavailable(endTime, nowSeconds, search) ? 'give-up-end' : 'find-end';
    case 'resolving':
      return 'resolve';
    case 'voiding':
      return 'void';
    case 'settled':
    case 'skipped':
      return 'nothing';
  }
}

export function isFinal({ stage }: QuickWindow): boolean {
  return stage === 'settled' || stage === 'skipped';
}

function isStartUnavailable(startTime: number, nowSeconds: number, search: Search | undefined): boolean {
  return search !== undefined && nowSeconds > Math.max(startTime, search.since) + START_TIMEOUT_SECONDS;
}

function isEndUnavailable(endTime: number, nowSeconds: number, search: Search | undefined): boolean {
  return nowSeconds >= endTime + VOID_AFTER_SECONDS && (search?.misses ?? 0) >= MISSES_BEFORE_VOID;
}
