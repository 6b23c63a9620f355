// Which windows there are, and what each needs next: the table of its stages, judged by time alone. Reads nothing, does nothing.
import { type Hex, LIMITS, type QuickWindow } from '@presage/protocol';

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

export interface QuickAsset {
  /** In upper case. */
  readonly asset: string;
  /** The oracle's id of its price. */
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

/** How the search for a window's next price went in this run of the service. */
export interface Search {
  /** How often there was no price. */
  readonly misses: number;
  /** Unix seconds of the first miss. */
  readonly since: number;
}

export interface StepQuestion {
  readonly startTime: number;
  readonly nowSeconds: number;
  /** Undefined until the window has a contract. */
  readonly window?: QuickWindow | undefined;
  /** Undefined until the price was missed. */
  readonly search?: Search | undefined;
}

/** A start price that is not there a minute after it was due, or after a later start of the service, is given up. */
const START_TIMEOUT_SECONDS = 60;
export const VOID_AFTER_SECONDS = 86_400;
/** A primary that is only slow to connect after a start must not make a market void. */
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
