// What a window needs next: the table of its stages, judged by time alone. Reads nothing, does nothing.
import type { QuickWindow } from '@presage/protocol';
import { endOf, LEAD_SECONDS } from './schedule.ts';

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
  readonly window?: QuickWindow;
  /** Undefined until the price was missed. */
  readonly search?: Search;
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
