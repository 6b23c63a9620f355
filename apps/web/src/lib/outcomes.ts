// The two outcomes of a market and their names: YES and NO, or Up and Down in quick markets.
import { asHex, readOutcomeMarketId } from '@presage/protocol/browser';
import type { Market, OutcomeName } from '@presage/sdk';
import { priceText } from './format.ts';

export type OutcomeNames = Readonly<Record<OutcomeName, string>>;

export const OUTCOMES: readonly OutcomeName[] = ['YES', 'NO'];
export const PLAIN_NAMES: OutcomeNames = { YES: 'YES', NO: 'NO' };
export const QUICK_NAMES: OutcomeNames = { YES: 'Up', NO: 'Down' };

/** The outcome that the service numbers 0 or 1. */
export function outcomeOf(outcome: number | undefined | null): OutcomeName {
  return outcome === 0 ? 'YES' : 'NO';
}

export function outcomeText(outcome: OutcomeName, kind: Market['kind']): string {
  return (kind === 'quick' ? QUICK_NAMES : PLAIN_NAMES)[outcome];
}

/** An open order as text: `Buy YES`. */
export function orderText(
  { side, outcome }: { readonly side: number; readonly outcome: number },
  names: OutcomeNames = PLAIN_NAMES,
): string {
  return `${side === 0 ? 'Buy' : 'Sell'} ${names[outcomeOf(outcome)]}`;
}

/** Replaces YES and NO in a text by the market's own names. */
export function withNames(text: string, names: OutcomeNames): string {
  return text.replace(/\bYES\b/, names.YES).replace(/\bNO\b/, names.NO);
}

const ONE = 1_000_000n;

/** Number of outcomes of the market's event; 2 for a market without an event. */
export function outcomeCount(marketId: string): number {
  return readOutcomeMarketId(asHex(marketId))?.count ?? 2;
}

/** The question of an event, derived from the question of one of its outcomes. */
export function eventQuestion(question: string, name: string): string {
  const end = `: ${name}`;
  return question.endsWith(end) ? question.slice(0, -end.length) : question;
}

/** Payout of a YES share of a void market, in millionths: equal for all outcomes of an event, half in other markets. */
export function voidPrice(marketId: string): bigint {
  return ONE / BigInt(outcomeCount(marketId));
}

export function voidText(marketId: string): string {
  const yes = voidPrice(marketId);
  return 2n * yes === ONE ? 'Every share pays 50¢' : `YES pays ${priceText(yes)}, NO ${priceText(ONE - yes)}`;
}
