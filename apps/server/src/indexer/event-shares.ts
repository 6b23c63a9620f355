// Applies a log about an event's condition to the shares of its markets.
import type { MarketView } from '@presage/engine';
import { fullIndexSet, indexSetsOf } from '@presage/protocol';
import type { ShareLog } from './share-logs.ts';
import type { ShareChange, TransactionShares } from './transaction-shares.ts';

type LogOf<Type extends ShareLog['type']> = Extract<ShareLog, { type: Type }>;

/** @param markets those of the event that are listed */
export function readEventLog(
  log: LogOf<'split' | 'merge' | 'redemption' | 'conversion'>,
  markets: readonly MarketView[],
  transaction: TransactionShares,
): void {
  const count = markets[0]?.facts.event?.count;
  if (count === undefined) return;
  const all = fullIndexSet(count);
  if (log.type === 'redemption') readRedemption(log, markets, all, transaction);
  else if (log.type === 'conversion') readConversion(log, markets, all, transaction);
  else readPartition(log, markets, all, transaction);
}

/** The part of the payout beyond the shares of markets is for positions of no market. */
function readRedemption(
  log: LogOf<'redemption'>,
  markets: readonly MarketView[],
  all: bigint,
  transaction: TransactionShares,
): void {
  const paid = markets.reduce((sum, market) => sum + transaction.redeemOutcome(log, market, log.payout - sum), 0n);
  if (log.parts.some((part) => isOfNoMarket(part, all))) moveCollateral(log, markets, log.payout - paid, transaction);
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

/**
 * Reads a split or merge. One into YES and NO of a single market belongs to that market, and waits until it is listed; one into single
 * outcomes splits collateral or the NO of the outcome left out.
 */
function readPartition(
  log: LogOf<'split' | 'merge'>,
  markets: readonly MarketView[],
  all: bigint,
  transaction: TransactionShares,
): void {
  const isOfOneMarket =
    log.parts.length === 2 && log.parts.some((part) => log.parts.includes(all ^ part) && isSingle(part));
  const market = markets.find(({ facts }) => indexSetsOf(facts).every((set) => log.parts.includes(set)));
  if (!isOfOneMarket) readSingles(log, markets, all, transaction);
  else if (market !== undefined) transaction.convert(log, market.facts.marketId);
}

/**
 * Positions on several outcomes, other than NO, belong to no market: market shares that they took or gave count as transferred, and only
 * the collateral that they took or gave is recorded. So the recorded collateral stays equal to that of all positions of the event on chain.
 */
function readSingles(
  log: LogOf<'split' | 'merge'>,
  markets: readonly MarketView[],
  all: bigint,
  transaction: TransactionShares,
): void {
  const united = log.parts.reduce((union, part) => union | part, 0n);
  const left = all ^ united;
  const amount = log.type === 'split' ? log.amount : -log.amount;
  if (!log.parts.every(isSingle) || (left !== 0n && !isSingle(left))) {
    if (left === 0n) moveCollateral(log, markets, -amount, transaction);
    return;
  }
  const changes = toChanges(markets, { yes: united, no: left }, amount, -amount);
  const freed = left === 0n ? -amount : 0n;
  const [gave, got] = log.type === 'split' ? [left, united] : [united, left];
  transaction.exchange(log, changes, toConversion(gave, got, freed));
}

/** Records collateral of positions of no market, which are not shares: as a conversion of nothing into nothing in the market of the lowest outcome. */
function moveCollateral(
  log: LogOf<'split' | 'merge' | 'redemption'>,
  markets: readonly MarketView[],
  freed: bigint,
  transaction: TransactionShares,
): void {
  const lowest = markets.reduce((a, b) => (indexOf(b) < indexOf(a) ? b : a));
  if (freed === 0n) return;
  const { marketId } = lowest.facts;
  transaction.exchange(log, [{ marketId, yes: 0n, no: 0n }], toConversion(0n, 0n, freed));
}

/** Changes of YES and NO in each listed market, selected by the bit of its outcome. */
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

function indexOf({ facts }: MarketView): number {
  return facts.event?.index ?? 0;
}

/** Whether the index set is neither YES nor NO of an outcome. */
function isOfNoMarket(set: bigint, all: bigint): boolean {
  return !isSingle(set) && !isSingle(all ^ set);
}

function isSingle(set: bigint): boolean {
  return set > 0n && (set & (set - 1n)) === 0n;
}
