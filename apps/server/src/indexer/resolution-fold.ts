// Applies logs of the oracle, of markets and of the conditional tokens to a market's resolution, and rewinds it.
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

/** Adds a proposal. After a restart the block may be delivered again; later facts about a known assertion are then kept. */
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

/** Moves a rejected assertion to the history. Nothing is assumed about other outcomes: the rejected one can be proposed again. */
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

/** Equal payouts make a market void; otherwise the outcome that pays more has won. */
export function resolve(before: MarketResolution, numerators: readonly bigint[], at: ChainPoint): MarketResolution {
  const [yes = 0n, no = 0n] = numerators;
  const winner: Outcome = yes > no ? YES : NO;
  const logged = { ...before, ...toMillionths(yes, no), resolvedAt: at, ...(yes !== no && { winningOutcome: winner }) };
  return arrange(logged, standingAssertions(before));
}

/** Resolves the market of one outcome with its event: YES pays what the outcome does, NO what all others do. Several paying outcomes make it void. */
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

/** Converts a proposed result of an event to the proposal for the market of one outcome. The number of outcomes stands for a void. */
export function toOutcomeProposal(result: number, { index, count }: MarketEvent): ProposedOutcome {
  if (result === count) return HALF;
  return result === index ? YES : NO;
}

/** Resolution of an outcome that was listed later than the others: whatever was proposed or won before, it was not this one. */
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

/** Resolution without the facts of blocks above `toBlock`: a rejected assertion may be open again. */
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

/** Puts the assertion that decides first, then the others by age. The status follows from the first. */
function arrange(facts: Omit<MarketResolution, 'status'>, standing: readonly Assertion[]): MarketResolution {
  const { assertion: _, others: __, ...rest } = facts;
  const byAge = [...standing].sort(compareAge);
  const first = byAge.find((each) => decides(facts, each)) ?? byAge.find(isNext) ?? byAge.find(isOpen) ?? byAge[0];
  const others = byAge.filter((each) => each !== first);
  const logged = { ...rest, ...(first && { assertion: first }), ...(others.length > 0 && { others }) };
  return { ...logged, status: statusOf(logged) };
}

/** Whether the assertion decided the result. If the oracle found several truthful, the first decided. */
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

/** Compares by block, then by id, so that the order within a block is the same everywhere. */
function compareAge(left: Assertion, right: Assertion): number {
  return left.proposedAt.blockNumber - right.proposedAt.blockNumber || (left.id < right.id ? -1 : 1);
}

function statusOf({ payouts, winningOutcome, assertion }: Omit<MarketResolution, 'status'>): ResolutionStatus {
  if (payouts !== undefined) return winningOutcome === undefined ? 'void' : 'resolved';
  if (assertion === undefined) return 'expired';
  return assertion.disputed ? 'disputed' : 'proposed';
}

/** Drops undefined members, so that a field is set or missing. */
function pick<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
