// Checks the markets of events, their results and the conversions between them against the rules of events.
import {
  type Conversion,
  countIndexes,
  fullIndexSet,
  hasIndex,
  isDecided,
  type MarketEvent,
  type MarketFacts,
  type MarketResolution,
  PRICE_SCALE,
  readOutcomeMarketId,
  type SharesMoved,
  toOutcomeMarketId,
  toOutcomeShareIds,
  YES,
} from '@presage/protocol';
import type { Ledger } from './ledger.ts';
import { Violation } from './violation.ts';

/** Checks that a market's event, id and share ids follow from each other. */
export function checkListing({ marketId, event, ...facts }: MarketFacts, seq: number): void {
  if (event === undefined) {
    if (readOutcomeMarketId(marketId) === undefined) return;
    throw new Violation('event_market_wrong', `market ${marketId} has the id of an outcome and names no event`, seq);
  }
  const { id, index, count } = event;
  if (index >= count || toOutcomeMarketId(id, index, count) !== marketId) {
    const detail = `market ${marketId} is not outcome ${index} of ${count} of event ${id}`;
    throw new Violation('event_market_wrong', detail, seq);
  }
  const expected = toOutcomeShareIds(facts.stablecoin, id, index, count);
  if (expected.yesTokenId === facts.yesTokenId && expected.noTokenId === facts.noTokenId) return;
  throw new Violation('event_shares_wrong', `shares of market ${marketId} are not of the condition ${id}`, seq);
}

/** A void event pays each of its YES shares the same; an event with a winner pays only the winner's. */
export function checkPayouts({ marketId, event }: MarketFacts, resolution: MarketResolution, seq: number): void {
  const { payouts, payoutDenominator: whole = PRICE_SCALE, winningOutcome } = resolution;
  if (event === undefined || payouts === undefined) return;
  const [yes, no] = payouts;
  const isEqual = yes * event.count === whole && yes + no === whole;
  if (winningOutcome === undefined && isEqual) return;
  if (winningOutcome !== undefined && yes === (winningOutcome === YES ? whole : 0) && yes + no === whole) return;
  const detail = `market ${marketId}, one of ${event.count} outcomes, pays ${yes} and ${no} of ${whole}`;
  throw new Violation('event_payout_wrong', detail, seq);
}

/** Checks that a conversion's input and output are worth the same, whatever the result. */
export function checkConversion(event: MarketEvent | undefined, moved: SharesMoved, seq: number): void {
  const { conversion, marketId, txHash } = moved;
  if ((moved.cause === 'conversion') !== (conversion !== undefined) || (conversion && event === undefined)) {
    throw new Violation('conversion_wrong', `market ${marketId} in ${txHash} is of no conversion`, seq);
  }
  if (conversion === undefined || event === undefined || isFair(event, moved, conversion)) return;
  const { gave, got, freed } = conversion;
  const detail = `${amountOf(moved)} of ${gave} to ${got} and ${freed} in ${txHash}, market ${marketId}`;
  throw new Violation('conversion_wrong', detail, seq);
}

function isFair({ index, count }: MarketEvent, moved: SharesMoved, conversion: Conversion): boolean {
  const [yes, no] = [BigInt(moved.yesShares), BigInt(moved.noShares)];
  const [gave, got, freed] = [BigInt(conversion.gave), BigInt(conversion.got), BigInt(conversion.freed)];
  const all = fullIndexSet(count);
  if ((gave & got) !== 0n || (gave | got) > all || (yes !== 0n && no !== 0n)) return false;
  const [amount, isGiven] = [amountOf(moved), yes + no < 0n];
  // Positions outside of markets are no shares: their conversion shows only as collateral, as if nothing became
  // nothing.
  if (gave === 0n && got === 0n) return amount === 0n && freed !== 0n;
  if (amount === 0n || !hasIndex(isGiven ? gave : got, index)) return false;
  // NO is given where YES is received, and the other way round.
  const gaveNo = isGiven ? no !== 0n : yes !== 0n;
  const worth = (set: bigint, isNo: boolean, winner: number) => {
    const held = hasIndex(set, winner) ? 1n : 0n;
    return isNo ? countIndexes(set) - held : held;
  };
  return Array.from({ length: count }, (_, winner) => winner).every((winner) => {
    return amount * (worth(gave, gaveNo, winner) - worth(got, !gaveNo, winner)) === freed;
  });
}

/** Checks that need all markets of an event: one winner, the same facts in all, and complete conversions. */
export function checkEvents(ledger: Pick<Ledger, 'markets' | 'resolutionOf' | 'conversions'>): void {
  const winners = new Map<string, string>();
  const events = new Map<string, MarketFacts>();
  for (const facts of ledger.markets) {
    const { event, marketId } = facts;
    if (event === undefined) continue;
    const first = events.get(event.id) ?? facts;
    events.set(event.id, first);
    if (!isSameEvent(first, facts)) {
      throw new Violation('event_market_wrong', `markets ${first.marketId} and ${marketId} name different events`);
    }
    const resolution = ledger.resolutionOf(marketId);
    if (!isDecided(resolution) || resolution.winningOutcome !== YES) continue;
    const other = winners.get(event.id);
    if (other !== undefined) throw new Violation('event_two_winners', `both ${other} and ${marketId} won ${event.id}`);
    winners.set(event.id, marketId);
  }
  for (const parts of ledger.conversions()) checkParts(parts);
}

function isSameEvent(a: MarketFacts, b: MarketFacts): boolean {
  const isSameCondition = a.event?.count === b.event?.count && a.event?.contractAddress === b.event?.contractAddress;
  const isSameMoney = a.stablecoin === b.stablecoin && a.conditionalTokens === b.conditionalTokens;
  return isSameCondition && isSameMoney && a.chainId === b.chainId && a.event?.question === b.event?.question;
}

/** All markets describe a conversion alike, with the same number of shares. */
function checkParts([first, ...others]: readonly SharesMoved[]): void {
  if (first === undefined) return;
  for (const other of others) {
    const isSame =
      amountOf(first) === amountOf(other) &&
      first.conversion?.gave === other.conversion?.gave &&
      first.conversion?.got === other.conversion?.got &&
      first.conversion?.freed === other.conversion?.freed;
    if (isSame) continue;
    const detail = `${amountOf(first)} in market ${first.marketId} and ${amountOf(other)} in ${other.marketId}`;
    throw new Violation('conversion_wrong', `${detail} of one conversion in ${first.txHash}`);
  }
}

function amountOf({ yesShares, noShares }: SharesMoved): bigint {
  const sum = BigInt(yesShares) + BigInt(noShares);
  return sum < 0n ? -sum : sum;
}
