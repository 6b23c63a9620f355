// The two outcomes of a market and what they are called: YES and NO, or Up and Down in quick markets.
import type { Market, OutcomeName } from '@presage/sdk';

export type OutcomeNames = Readonly<Record<OutcomeName, string>>;

export const OUTCOMES: readonly OutcomeName[] = ['YES', 'NO'];
export const PLAIN_NAMES: OutcomeNames = { YES: 'YES', NO: 'NO' };
export const QUICK_NAMES: OutcomeNames = { YES: 'Up', NO: 'Down' };

/** The outcome that the service counts as 0 or 1. */
export function outcomeOf(outcome: number | undefined | null): OutcomeName {
  return outcome === 0 ? 'YES' : 'NO';
}

export function outcomeText(outcome: OutcomeName, kind: Market['kind']): string {
  return (kind === 'quick' ? QUICK_NAMES : PLAIN_NAMES)[outcome];
}

/** `Buy YES`: an open order as text. */
export function orderText(
  { side, outcome }: { readonly side: number; readonly outcome: number },
  names: OutcomeNames = PLAIN_NAMES,
): string {
  return `${side === 0 ? 'Buy' : 'Sell'} ${names[outcomeOf(outcome)]}`;
}

/** A text that names an outcome plainly, in the market's own names. */
export function withNames(text: string, names: OutcomeNames): string {
  return text.replace(/\bYES\b/, names.YES).replace(/\bNO\b/, names.NO);
}
