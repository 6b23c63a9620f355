// Reads the outcome of each fill of a mined batch from the logs of its receipt.
import { presageSettlementAbi } from '@presage/contracts';
import { encodeEventTopics, type Log } from 'viem';

export type FillOutcome =
  | { readonly kind: 'settled'; readonly minted: number }
  | { readonly kind: 'failed'; readonly code: number }
  | { readonly kind: 'not-attempted' };

const MINTED_MASK = (1n << 64n) - 1n;

/** Topics are computed once: viem would hash every event of the contract for every log. */
const EVENTS = ['FillsSettled', 'FillSettled', 'FillFailed', 'FillsNotAttempted'] as const;
const TOPICS = new Map<unknown, (typeof EVENTS)[number]>(
  EVENTS.map((eventName) => [encodeEventTopics({ abi: presageSettlementAbi, eventName })[0], eventName]),
);

/** One outcome per fill, in batch order: failures carry their index, so the settled ones are the remaining fills in turn. */
export function readOutcomes(count: number, logs: readonly Log[], settlement: string): FillOutcome[] {
  const own = logs.filter((log) => log.address.toLowerCase() === settlement.toLowerCase());
  const failures = new Map<number, number>();
  const minted: number[] = [];
  let stoppedAt = count;
  for (const { topics, data } of own) {
    const eventName = TOPICS.get(topics[0]);
    const [first, second] = toWords(data);
    if (eventName === 'FillFailed') failures.set(Number(first), Number(second));
    if (eventName === 'FillsNotAttempted') stoppedAt = Number(first);
    // Contracts of version 3 log all settled fills in one event, those of version 2 each fill in its own.
    if (eventName === 'FillsSettled') minted.push(...mintedOf(data));
    if (eventName === 'FillSettled') minted.push(Number(first & MINTED_MASK));
  }
  if (minted.length + failures.size !== stoppedAt) {
    throw new Error(
      `a batch of ${count} fills left ${minted.length} settled, ${failures.size} failed, ${stoppedAt} attempted`,
    );
  }
  return Array.from({ length: count }, (_, index) => {
    if (index >= stoppedAt) return { kind: 'not-attempted' };
    const code = failures.get(index);
    return code === undefined ? { kind: 'settled', minted: minted.shift() ?? 0 } : { kind: 'failed', code };
  });
}

/** Minted amounts: after the offset and the length there are three words per fill, both orders and the amounts. */
function mintedOf(data: string): number[] {
  const fills = Number(wordAt(data, 1)) / 3;
  return Array.from({ length: fills }, (_, index) => Number(wordAt(data, 2 + 3 * index + 2) & MINTED_MASK));
}

/** Data of the other events: one or two numbers, a word each. */
function toWords(data: string): [bigint, bigint] {
  return [wordAt(data, 0), wordAt(data, 1)];
}

function wordAt(data: string, index: number): bigint {
  return BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index) || '0'}`);
}
