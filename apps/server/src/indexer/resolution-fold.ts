// What a log of the oracle, of a market or of the conditional tokens does to a market's resolution, and how it is taken back.
import type { Assertion, Bytes32, ChainPoint, MarketResolution, ResolutionStatus } from '@presage/protocol';

/** What the logs hold; the status follows from it. */
type LoggedFacts = Omit<MarketResolution, 'status'>;

export const NOTHING_SAID: MarketResolution = { status: 'expired', round: 0, history: [] };

const MILLION = 1_000_000n;

/** The block may come again after a restart, when more is known of the assertion: nothing of that is forgotten. */
export function propose(before: MarketResolution, assertion: Assertion): MarketResolution {
  const known = [...before.history, ...(before.assertion ? [before.assertion] : [])];
  const isSame = ({ id, proposedAt }: Assertion) =>
    id === assertion.id && proposedAt.blockHash === assertion.proposedAt.blockHash;
  if (known.some(isSame)) return before;
  const rejected = before.history.filter(({ id }) => id !== assertion.id);
  return withStatus({ ...before, assertion, history: rejected, round: rejected.length + 1 });
}

export function dispute(before: MarketResolution, disputer: Assertion['proposer'], at: ChainPoint): MarketResolution {
  if (before.assertion === undefined) return before;
  return withStatus({ ...before, assertion: { ...before.assertion, disputed: true, disputer, disputedAt: at } });
}

export function settle(before: MarketResolution, isTruthful: boolean, at: ChainPoint): MarketResolution {
  if (before.assertion === undefined) return before;
  return withStatus({ ...before, assertion: settled(before.assertion, isTruthful, at) });
}

/** Nothing is assumed of the opposite outcome: the market waits for another proposal. */
export function reject(before: MarketResolution, at: ChainPoint): MarketResolution {
  const { assertion, ...rest } = before;
  if (assertion === undefined) return before;
  return withStatus({ ...rest, history: [...before.history, settled(assertion, false, at)] });
}

/** Equal payouts make a market void; else whatever pays more has won. */
export function resolve(before: MarketResolution, numerators: readonly bigint[], at: ChainPoint): MarketResolution {
  const [yes = 0n, no = 0n] = numerators;
  const whole = yes + no;
  const payouts = [Number((yes * MILLION) / whole), Number((no * MILLION) / whole)] as const;
  const logged = { ...before, payouts, resolvedAt: at };
  return withStatus(yes === no ? logged : { ...logged, winningOutcome: yes > no ? 0 : 1 });
}

/** The resolution before any block above: a rejected assertion may be under way again. */
export function rewind(before: MarketResolution, toBlock: number): MarketResolution {
  const stands = (at: ChainPoint | undefined) => at !== undefined && at.blockNumber <= toBlock;
  const assertions = [...before.history, ...(before.assertion ? [before.assertion] : [])]
    .filter(({ proposedAt }) => stands(proposedAt))
    .map((assertion) => rewindAssertion(assertion, stands));
  const wasRejected = (assertion: Assertion) => before.history.some(({ id }) => id === assertion.id);
  const history = assertions.filter((assertion) => assertion.settled && wasRejected(assertion));
  const assertion = assertions.find((each) => !history.includes(each));
  const { payouts, winningOutcome, resolvedAt } = before;
  return withStatus({
    round: assertions.length,
    ...(assertion && { assertion }),
    history,
    ...(stands(resolvedAt) && payouts && resolvedAt && { payouts, resolvedAt }),
    ...(stands(resolvedAt) && winningOutcome !== undefined && { winningOutcome }),
  });
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

function withStatus(logged: LoggedFacts): MarketResolution {
  return { ...logged, status: statusOf(logged) };
}

function statusOf({ payouts, assertion }: LoggedFacts): ResolutionStatus {
  if (payouts !== undefined) return payouts[0] === payouts[1] ? 'void' : 'resolved';
  if (assertion === undefined) return 'expired';
  return assertion.disputed ? 'disputed' : 'proposed';
}

/** Without the members that are undefined: a field is there or it is not. */
function pick<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export function isAbout(resolution: MarketResolution | undefined, assertionId: Bytes32): boolean {
  return resolution?.assertion?.id === assertionId;
}
