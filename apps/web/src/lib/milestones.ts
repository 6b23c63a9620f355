// A market's resolution as steps, and as one sentence.
import type { ChainConfig, Market, OutcomeName, ResolutionStatus } from '@presage/sdk';
import { money, shortHash } from './format.ts';
import { OUTCOMES, outcomeOf, outcomeText, voidText } from './outcomes.ts';
import { countdown, drawTime } from './times.ts';

export interface Milestone {
  readonly text: string;
  readonly when: string;
  readonly state: 'done' | 'now' | 'later';
}

export interface ResolutionFacts {
  readonly market: Market;
  readonly resolution: ResolutionStatus;
  readonly nowSeconds: number;
  readonly disputeWindowSeconds: number;
}

const RANKS = { open: 0, expired: 1, proposed: 3, disputed: 3, resolved: 5, void: 5 } as const;

export function milestonesOf(facts: ResolutionFacts): Milestone[] {
  return facts.market.kind === 'quick' ? quickMilestones(facts) : proposedMilestones(facts);
}

/** Steps of a quick market, which has no proposal: the price at the end decides. */
function quickMilestones(facts: ResolutionFacts): Milestone[] {
  const { market, resolution, nowSeconds } = facts;
  const rank = resolution.status === 'open' ? 0 : RANKS[resolution.status] >= 5 ? 3 : 1;
  const steps = [
    { text: 'Open for trading', when: rank === 0 ? 'now' : '' },
    closeOf(rank === 0, Number(market.expiration), nowSeconds),
    { text: rank >= 3 ? settledText(facts) : 'Decided by the price at the end', when: '' },
    { text: 'Paid out', when: rank >= 3 ? 'redeem in the portfolio' : '' },
  ];
  return toMilestones(steps, rank, 3);
}

function toMilestones(steps: readonly Omit<Milestone, 'state'>[], rank: number, final: number): Milestone[] {
  return steps.map((step, index) => ({
    ...step,
    state: index < rank || rank >= final ? 'done' : index === rank ? 'now' : 'later',
  }));
}

function proposedMilestones(facts: ResolutionFacts): Milestone[] {
  const { market, resolution, nowSeconds } = facts;
  const rank = RANKS[resolution.status];
  const closes = Number(market.expiration);
  const isDisputed = resolution.status === 'disputed';
  const steps = [
    { text: 'Open for trading', when: rank === 0 ? 'now' : '' },
    closeOf(rank === 0, closes, nowSeconds),
    {
      text: proposalText(facts),
      when: resolution.assertion ? drawTime(resolution.assertion.assertionTime, nowSeconds) : '',
    },
    isDisputed
      ? {
          text: 'Disputed: the oracle decides',
          when: resolution.disputer ? `by ${shortHash(resolution.disputer)}` : '',
        }
      : { text: `${inHours(facts.disputeWindowSeconds)} h dispute window`, when: windowEnd(facts) },
    { text: settledText(facts), when: '' },
    { text: 'Paid out', when: rank >= 5 ? 'redeem in the portfolio' : '' },
  ];
  return toMilestones(steps, rank, 5);
}

/** The closing step; `early` if a result proposed early or the operator closed the market before its end. */
function closeOf(isOpen: boolean, closes: number, nowSeconds: number) {
  const when = isOpen || closes <= nowSeconds ? drawTime(closes, nowSeconds) : 'early';
  return { text: isOpen ? 'Closes' : 'Closed', when };
}

function proposalText({ resolution: { assertion } }: ResolutionFacts): string {
  if (assertion === undefined) return 'Result proposed with bond';
  const outcome = assertion.proposedOutcome ? 'YES' : 'NO';
  return `Proposed ${outcome} by ${shortHash(assertion.proposer)}, bond ${money(BigInt(assertion.bondAmount))}`;
}

/** Hours, rounded to a tenth. */
export function inHours(seconds: number): number {
  return Math.round(seconds / 360) / 10;
}

function windowEnd({ resolution, nowSeconds }: ResolutionFacts): string {
  const ends = resolution.assertion?.expirationTime;
  if (ends === undefined || resolution.status !== 'proposed') return '';
  return ends > nowSeconds ? `${countdown(ends - nowSeconds)} left` : 'over';
}

function settledText({ market, resolution }: ResolutionFacts): string {
  if (resolution.status === 'void') return `Void: ${voidText(market.id)}`;
  if (resolution.winningOutcome === undefined) return 'Settled';
  return `Settled: ${outcomeText(outcomeOf(resolution.winningOutcome), market.kind)} won`;
}

export function sentenceOf(facts: ResolutionFacts): string {
  const { market, resolution, nowSeconds, disputeWindowSeconds } = facts;
  const closes = Number(market.expiration);
  const ends = resolution.assertion?.expirationTime ?? closes;
  const hours = inHours(disputeWindowSeconds);
  if (market.kind === 'quick' && resolution.status === 'open') {
    return `Decided by the price at ${drawTime(closes, nowSeconds)}; you can redeem about a minute later.`;
  }
  const sentences: Readonly<Record<ResolutionStatus['status'], string>> = {
    open: `Trading is open until ${drawTime(closes, nowSeconds)}.`,
    expired: `Trading is over. Anyone may propose the result; you can redeem ${hours} hours after that, unless it is disputed.`,
    proposed:
      ends > nowSeconds
        ? `You can redeem after ${drawTime(ends, nowSeconds)}, unless somebody disputes the result.`
        : 'The dispute window is over: anyone may settle the market now.',
    disputed: 'The result is disputed. You can redeem once the oracle has decided.',
    resolved: `${outcomeText(outcomeOf(resolution.winningOutcome), market.kind)} won: each share of it pays $1. You can redeem now.`,
    void: `The market is void. ${voidText(market.id)}. You can redeem now.`,
  };
  return sentences[resolution.status];
}

/** Outcomes that can be proposed: for an outcome of an event only YES, since an event's result is the outcome that won. */
export function outcomesToPropose({ event }: Pick<Market, 'event'>): readonly OutcomeName[] {
  return event === undefined ? OUTCOMES : OUTCOMES.slice(0, 1);
}

/** Bond of a proposal: the market's own. The chain's bond is for new markets. */
export function bondOf({ bond }: Pick<ResolutionStatus, 'bond'>, { bondAmount }: Pick<ChainConfig, 'bondAmount'>) {
  return BigInt(bond ?? bondAmount);
}
