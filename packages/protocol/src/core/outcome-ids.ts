// Ids of the binary market of each outcome of an event, as the contracts compute them (`OutcomeIds.sol`).
import type { Bytes32, MarketId } from './ids.ts';

export const MIN_OUTCOMES = 2;
export const MAX_OUTCOMES = 128;

/** The mark stands before and behind the number of outcomes. */
const MARK = 'e7e7e7';
const LAST_MARK = 'e7';
/** Places of the replaced bytes in the hex text, after `0x`: the eighth and the last five. */
const INDEX_AT = 14;
const MARK_AT = 54;
const COUNT_AT = 60;
const LAST_MARK_AT = 62;

/** The id of the market of outcome `index`, of `count`: the event's id with six bytes replaced. */
export function toOutcomeMarketId(eventId: Bytes32, index: number, count: number): MarketId {
  const digits = eventId.slice(2).toLowerCase();
  const [head, tail] = [digits.slice(0, INDEX_AT), digits.slice(INDEX_AT + 2, MARK_AT)];
  const id = `0x${head}${toByte(index)}${tail}${MARK}${toByte(count)}${LAST_MARK}` as const;
  return id;
}

/** The question of the market of one outcome. */
export function toOutcomeQuestion(question: string, name: string): string {
  return `${question}: ${name}`;
}

/**
 * Reads event, index and count from a market id; undefined if it cannot be the market of an event. One condition in
 * four billion carries the mark by chance.
 */
export function readOutcomeMarketId(
  marketId: MarketId,
): { readonly index: number; readonly count: number } | undefined {
  const digits = marketId.slice(2).toLowerCase();
  const index = Number.parseInt(digits.slice(INDEX_AT, INDEX_AT + 2), 16);
  const count = Number.parseInt(digits.slice(COUNT_AT, COUNT_AT + 2), 16);
  const isMarked = digits.slice(MARK_AT, COUNT_AT) === MARK && digits.slice(LAST_MARK_AT) === LAST_MARK;
  const isOutcome = index < count && count >= MIN_OUTCOMES && count <= MAX_OUTCOMES;
  return isMarked && isOutcome ? { index, count } : undefined;
}

function toByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
