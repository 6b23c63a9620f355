// What a mined batch did to each of its fills, read from the logs of its receipt.
import { presageSettlementAbi } from '@presage/contracts';
import { type Log, parseEventLogs } from 'viem';

export type FillOutcome =
  | { readonly kind: 'settled'; readonly minted: number }
  | { readonly kind: 'failed'; readonly code: number }
  | { readonly kind: 'not-attempted' };

const MINTED_MASK = (1n << 64n) - 1n;

/** One outcome a fill, in batch order: failures carry their index, so what settled belongs to the rest in turn. */
export function readOutcomes(count: number, logs: readonly Log[], settlement: string): FillOutcome[] {
  const own = logs.filter((log) => log.address.toLowerCase() === settlement.toLowerCase());
  const events = parseEventLogs({ abi: presageSettlementAbi, logs: own });
  const failures = new Map<number, number>();
  const minted: number[] = [];
  let stoppedAt = count;
  for (const event of events) {
    if (event.eventName === 'FillFailed') failures.set(Number(event.args.fillIndex), event.args.code);
    if (event.eventName === 'FillsNotAttempted') stoppedAt = Number(event.args.fromIndex);
    if (event.eventName === 'FillSettled') minted.push(Number(event.args.amounts & MINTED_MASK));
  }
  if (minted.length + failures.size !== stoppedAt) {
    throw new Error(
      `a batch of ${count} fills left ${minted.length} settled, ${failures.size} failed, ${stoppedAt} attempted`,
    );
  }
  return Array.from({ length: count }, (_, index) => outcomeAt(index, { failures, minted, stoppedAt }));
}

function outcomeAt(
  index: number,
  { failures, minted, stoppedAt }: { failures: Map<number, number>; minted: number[]; stoppedAt: number },
): FillOutcome {
  if (index >= stoppedAt) return { kind: 'not-attempted' };
  const code = failures.get(index);
  if (code !== undefined) return { kind: 'failed', code };
  return { kind: 'settled', minted: minted.shift() ?? 0 };
}
