// What a log about an event's condition did to the shares of its markets.
import type { MarketView } from '@presage/engine';
import { fullIndexSet, indexSetsOf } from '@presage/protocol';
import type { ShareLog } from './share-logs.ts';
import type { ShareChange, TransactionShares } from './transaction-shares.ts';

type LogOf<Type extends ShareLog['type']> = Extract<ShareLog, { type: Type }>;

const TOP_LEVEL = `0x${'00'.repeat(32)}`;

/** @param markets those of the event that are listed */
export function readEventLog(
  log: LogOf<'split' | 'merge' | 'redemption' | 'conversion'>,
  markets: readonly MarketView[],
  transaction: TransactionShares,
): void {
  const count = markets[0]?.facts.event?.count;
  if (count === undefined) return;
  const all = fullIndexSet(count);
  if (log.type === 'redemption') for (const market of markets) transaction.redeemOutcome(log, market);
  else if (log.type === 'conversion') readConversion(log, markets, all, transaction);
  else if (log.parent === TOP_LEVEL) readPartition(log, markets, all, transaction);
}

function readConversion(
  log: LogOf<'conversion'>,
  markets: readonly MarketView[],
  all: bigint,
  transaction: TransactionShares,
): void {
  const { indexes, amount, freed } = log;
  const changes = toChanges(markets, { yes: all ^ indexes, no: indexes }, amount, -amount);
  transaction.exchange(log, changes, toConversion(indexes, all ^ indexes, freed));
}

/** A partition into YES and NO of one market is that market's; one into single outcomes splits collateral or the NO of the outcome left out. */
function readPartition(
  log: LogOf<'split' | 'merge'>,
  markets: readonly MarketView[],
  all: bigint,
  transaction: TransactionShares,
): void {
  const market = markets.find(({ facts }) => indexSetsOf(facts).every((set) => log.parts.includes(set)));
  if (market === undefined) readSingles(log, markets, all, transaction);
  else transaction.convert(log, market.facts.marketId);
}

/** Positions on several outcomes are of no market, but NO: what they took and gave of markets' shares counts as transferred. */
function readSingles(
  log: LogOf<'split' | 'merge'>,
  markets: readonly MarketView[],
  all: bigint,
  transaction: TransactionShares,
): void {
  const united = log.parts.reduce((union, part) => union | part, 0n);
  const left = all ^ united;
  if (!log.parts.every(isSingle) || (left !== 0n && !isSingle(left))) return;
  const amount = log.type === 'split' ? log.amount : -log.amount;
  const changes = toChanges(markets, { yes: united, no: left }, amount, -amount);
  const freed = left === 0n ? -amount : 0n;
  const [gave, got] = log.type === 'split' ? [left, united] : [united, left];
  transaction.exchange(log, changes, toConversion(gave, got, freed));
}

/** What each listed market has more of YES, or of NO, by the bits of its outcome. */
function toChanges(
  markets: readonly MarketView[],
  sets: { readonly yes: bigint; readonly no: bigint },
  yesAmount: bigint,
  noAmount: bigint,
): ShareChange[] {
  if (yesAmount === 0n && noAmount === 0n) return [];
  return markets.flatMap(({ facts }) => {
    const [bit] = indexSetsOf(facts);
    const yes = (sets.yes & bit) === 0n ? 0n : yesAmount;
    const no = (sets.no & bit) === 0n ? 0n : noAmount;
    return yes === 0n && no === 0n ? [] : [{ marketId: facts.marketId, yes, no }];
  });
}

function toConversion(gave: bigint, got: bigint, freed: bigint) {
  return { gave: gave.toString(), got: got.toString(), freed: freed.toString() };
}

function isSingle(set: bigint): boolean {
  return set > 0n && (set & (set - 1n)) === 0n;
}
