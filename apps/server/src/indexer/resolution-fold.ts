// What a log of the oracle, of a market or of the conditional tokens does to a market's resolution, and how it is taken back.
import {
  type Assertion,
  type Bytes32,
  type ChainPoint,
  HALF,
  type MarketEvent,
  type MarketResolution,
  NO,
  type Outcome,
  type ProposedOutcome,
  type ResolutionStatus,
  standingAssertions,
  YES,
} from '@presage/protocol';

export const NOTHING_SAID: MarketResolution = { status: 'expired', round: 0, history: [] };

const MILLION = 1_000_000n;

/** The block may come again after a restart, when more is known of the assertion: nothing of that is forgotten. */
export function propose(before: MarketResolution, assertion: Assertion): MarketResolution {
  const known = [...before.history, ...standingAssertions(before)];
  const isSame = ({ id, proposedAt }: Assertion) =>
    id === assertion.id && proposedAt.blockHash === assertion.proposedAt.blockHash;
  if (known.some(isSame)) return before;
  const isOther = ({ id }: Assertion) => id !== assertion.id;
  const standing = [...standingAssertions(before).filter(isOther), assertion];
  return arrange(
    { ...before, history: before.history.filter(isOther), round: known.filter(isOther).length + 1 },
    standing,
  );
}

export function dispute(
  before: MarketResolution,
  assertionId: Bytes32,
  disputer: Assertion['proposer'],
  disputedAt: ChainPoint,
): MarketResolution {
  return change(before, assertionId, (assertion) => ({ ...assertion, disputed: true, disputer, disputedAt }));
}

export function settle(
  before: MarketResolution,
  assertionId: Bytes32,
  isTruthful: boolean,
  at: ChainPoint,
): MarketResolution {
  return change(before, assertionId, (assertion) => settled(assertion, isTruthful, at));
}

/** Nothing is assumed of other outcomes: the rejected one can be proposed again. */
export function reject(before: MarketResolution, assertionId: Bytes32, at: ChainPoint): MarketResolution {
  const standing = standingAssertions(before);
  const rejected = standing.find(({ id }) => id === assertionId);
  if (rejected === undefined) return before;
  const history = [...before.history, settled(rejected, false, at)];
  return arrange(
    { ...before, history },
    standing.filter((assertion) => assertion !== rejected),
  );
}

/** Equal payouts make a market void; else whatever pays more has won. */
export function resolve(before: MarketResolution, numerators: readonly bigint[], at: ChainPoint): MarketResolution {
  const [yes = 0n, no = 0n] = numerators;
  const winner: Outcome = yes > no ? YES : NO;
  const logged = { ...before, ...toMillionths(yes, no), resolvedAt: at, ...(yes !== no && { winningOutcome: winner }) };
  return arrange(logged, standingAssertions(before));
}

/** The market of one outcome, decided with its event: YES pays what its outcome does, NO what all others do. Several that pay make it void. */
export function resolveOutcome(
  before: MarketResolution,
  numerators: readonly bigint[],
  index: number,
  at: ChainPoint,
): MarketResolution {
  const whole = numerators.reduce((sum, each) => sum + each, 0n);
  const yes = numerators[index] ?? 0n;
  const isVoid = numerators.filter((each) => each > 0n).length > 1;
  const winner: Outcome = yes > 0n ? YES : NO;
  const result = isVoid
    ? { payouts: [Number(yes), Number(whole - yes)] as const, payoutDenominator: Number(whole) }
    : { ...toMillionths(yes, whole - yes), winningOutcome: winner };
  return arrange({ ...before, ...result, resolvedAt: at }, standingAssertions(before));
}

/** The proposal of an event's result, as the market of one outcome sees it. The number of outcomes stands for a void. */
export function toOutcomeProposal(result: number, { index, count }: MarketEvent): ProposedOutcome {
  if (result === count) return HALF;
  return result === index ? YES : NO;
}

/** What was said of an event before one more of its outcomes was listed: whatever was proposed or won, it was not that one. */
export function ofLaterOutcome(said: MarketResolution): MarketResolution {
  const toLater = (assertion: Assertion): Assertion =>
    assertion.proposedOutcome === YES ? { ...assertion, proposedOutcome: NO } : assertion;
  const { assertion, others, winningOutcome } = said;
  return {
    ...said,
    history: said.history.map(toLater),
    ...(assertion && { assertion: toLater(assertion) }),
    ...(others && { others: others.map(toLater) }),
    ...(winningOutcome !== undefined && { winningOutcome: NO, ...toMillionths(0n, 1n) }),
  };
}

function toMillionths(yes: bigint, no: bigint): { payouts: readonly [number, number] } {
  const whole = yes + no;
  return { payouts: [Number((yes * MILLION) / whole), Number((no * MILLION) / whole)] };
}

/** The resolution before any block above: a rejected assertion may be under way again. */
export function rewind(before: MarketResolution, toBlock: number): MarketResolution {
  const stands = (at: ChainPoint | undefined) => at !== undefined && at.blockNumber <= toBlock;
  const assertions = [...before.history, ...standingAssertions(before)]
    .filter(({ proposedAt }) => stands(proposedAt))
    .map((assertion) => rewindAssertion(assertion, stands));
  const wasRejected = (assertion: Assertion) => before.history.some(({ id }) => id === assertion.id);
  const history = assertions.filter((assertion) => assertion.settled && wasRejected(assertion));
  const standing = assertions.filter((each) => !history.includes(each));
  const { payouts, payoutDenominator, winningOutcome, resolvedAt } = before;
  const logged = {
    round: assertions.length,
    history,
    ...(stands(resolvedAt) && payouts && resolvedAt && { payouts, resolvedAt }),
    ...(stands(resolvedAt) && payoutDenominator !== undefined && { payoutDenominator }),
    ...(stands(resolvedAt) && winningOutcome !== undefined && { winningOutcome }),
  };
  return arrange(logged, standing);
}

function rewindAssertion(assertion: Assertion, stands: (at: ChainPoint | undefined) => boolean): Assertion {
  const {
    disputed,
    disputer,
    disputedAt,
    settled: isSettled,
    settlementResolution,
    settledAt,
    ...proposed
  } = assertion;
  return {
    ...proposed,
    ...(stands(disputedAt) ? { disputed, ...pick({ disputer, disputedAt }) } : { disputed: false }),
    ...(stands(settledAt)
      ? { settled: isSettled, settlementResolution, ...pick({ settledAt }) }
      : { settled: false, settlementResolution: false }),
  };
}

function settled(assertion: Assertion, settlementResolution: boolean, settledAt: ChainPoint): Assertion {
  return { ...assertion, settled: true, settlementResolution, settledAt };
}

function change(
  before: MarketResolution,
  assertionId: Bytes32,
  move: (assertion: Assertion) => Assertion,
): MarketResolution {
  const standing = standingAssertions(before);
  if (!standing.some(({ id }) => id === assertionId)) return before;
  return arrange(
    before,
    standing.map((assertion) => (assertion.id === assertionId ? move(assertion) : assertion)),
  );
}

/** The assertion that decides comes first, then the others by age. The status follows from the first. */
function arrange(facts: Omit<MarketResolution, 'status'>, standing: readonly Assertion[]): MarketResolution {
  const { assertion: _, others: __, ...rest } = facts;
  const byAge = [...standing].sort(compareAge);
  const first = byAge.find((each) => decides(facts, each)) ?? byAge.find(isNext) ?? byAge.find(isOpen) ?? byAge[0];
  const others = byAge.filter((each) => each !== first);
  const logged = { ...rest, ...(first && { assertion: first }), ...(others.length > 0 && { others }) };
  return { ...logged, status: statusOf(logged) };
}

/** If the oracle found several true, the first of them decided. */
function decides({ payouts, winningOutcome }: Omit<MarketResolution, 'status'>, assertion: Assertion): boolean {
  const isResult = assertion.proposedOutcome === (winningOutcome ?? HALF);
  return payouts !== undefined && assertion.settlementResolution && isResult;
}

function isOpen({ settled: isSettled }: Assertion): boolean {
  return !isSettled;
}

function isNext(assertion: Assertion): boolean {
  return isOpen(assertion) && !assertion.disputed;
}

/** Ids make the order of one block's assertions the same everywhere. */
function compareAge(left: Assertion, right: Assertion): number {
  return left.proposedAt.blockNumber - right.proposedAt.blockNumber || (left.id < right.id ? -1 : 1);
}

function statusOf({ payouts, winningOutcome, assertion }: Omit<MarketResolution, 'status'>): ResolutionStatus {
  if (payouts !== undefined) return winningOutcome === undefined ? 'void' : 'resolved';
  if (assertion === undefined) return 'expired';
  return assertion.disputed ? 'disputed' : 'proposed';
}

/** Without the members that are undefined: a field is there or it is not. */
function pick<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
