// A market's resolution as the wire shows it.
import type { MarketView } from '@presage/engine';
import {
  type Assertion,
  type AssertionBody,
  isDecided,
  type ResolutionBody,
  toChecksumAddress,
  YES,
} from '@presage/protocol';
import type { Answer } from '../answer.ts';
import { toMarketStatus } from './market.ts';

export function toResolution(market: MarketView, nowSeconds: number): Answer<typeof ResolutionBody> {
  const { facts, resolution, closeReason } = market;
  const { assertion, history = [], winningOutcome, payouts } = resolution ?? {};
  return {
    marketId: facts.marketId,
    expired: closeReason === 'expired' || facts.expiration <= nowSeconds,
    resolved: isDecided(resolution),
    ...(winningOutcome !== undefined && { winningOutcome }),
    ...(assertion && { assertion: toAssertion(assertion) }),
    status: toMarketStatus(market, nowSeconds),
    round: resolution?.round ?? 0,
    disputer: disputerOf(assertion),
    history: history.map(toAssertion),
    ...(payouts && { payouts }),
  };
}

function toAssertion(assertion: Assertion): Answer<typeof AssertionBody> {
  return {
    id: assertion.id,
    proposer: toChecksumAddress(assertion.proposer),
    proposedOutcome: assertion.proposedOutcome === YES,
    outcome: assertion.proposedOutcome,
    bondAmount: assertion.bondAmount,
    assertionTime: assertion.assertionTime,
    expirationTime: assertion.expirationTime,
    settled: assertion.settled,
    settlementResolution: assertion.settlementResolution,
    disputed: assertion.disputed,
    bondPayer: toChecksumAddress(assertion.bondPayer),
    disputer: disputerOf(assertion),
  };
}

function disputerOf(assertion: Assertion | undefined): string | null {
  return assertion?.disputer === undefined ? null : toChecksumAddress(assertion.disputer);
}
