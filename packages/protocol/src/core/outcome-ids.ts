// Names the binary market of each outcome of an event, as the contracts do (`OutcomeIds.sol`).
import type { Bytes32, MarketId } from './ids.ts';

export const MIN_OUTCOMES = 2;
export const MAX_OUTCOMES = 64;

const MARK = 'e7';
/** Places of the replaced bytes in the hex text, after `0x`: the eighth, the last but one and the last. */
const INDEX_AT = 14;
const COUNT_AT = 60;
const MARK_AT = 62;

/** The id of the market of outcome `index`, of `count`: the event's id with three bytes replaced. */
export function toOutcomeMarketId(eventId: Bytes32, index: number, count: number): MarketId {
  const digits = eventId.slice(2).toLowerCase();
  const [head, tail] = [digits.slice(0, INDEX_AT), digits.slice(INDEX_AT + 2, COUNT_AT)];
  const id = `0x${head}${toByte(index)}${tail}${toByte(count)}${MARK}` as const;
  return id;
}

/** Which outcome a market would be of; undefined if its id cannot be of an event. One condition in 256 looks like it as well. */
export function readOutcomeMarketId(
  marketId: MarketId,
): { readonly index: number; readonly count: number } | undefined {
  const digits = marketId.slice(2).toLowerCase();
  const index = Number.parseInt(digits.slice(INDEX_AT, INDEX_AT + 2), 16);
  const count = Number.parseInt(digits.slice(COUNT_AT, COUNT_AT + 2), 16);
  const isMarked = digits.slice(MARK_AT) === MARK && index < count && count >= MIN_OUTCOMES && count <= MAX_OUTCOMES;
  return isMarked ? { index, count } : undefined;
}

function toByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
