// How a market was or is being decided. Each record holds the whole state, so that a reorganization needs no undoing.
import type { Address, Bytes32, TransactionHash } from './ids.ts';
import type { Outcome } from './order.ts';

/** Outcomes that can be asserted of a market: YES, NO, or 2 when neither is the answer and each share pays half. */
export type ProposedOutcome = Outcome | typeof HALF;
export const HALF = 2;

/** `expired` means that no proposal is left: it was rejected, or left the chain with its block. */
export const RESOLUTION_STATUSES = ['expired', 'proposed', 'disputed', 'resolved', 'void'] as const;
export type ResolutionStatus = (typeof RESOLUTION_STATUSES)[number];

/** The transaction of a step, and its block. */
export interface ChainPoint {
  readonly transactionHash: TransactionHash;
  readonly blockNumber: number;
  readonly blockHash: Bytes32;
}

export interface Assertion {
  /** Assertion id at the oracle. */
  readonly id: Bytes32;
  /** Signer of the proposal, whoever paid its bond. */
  readonly proposer: Address;
  readonly bondPayer: Address;
  readonly proposedOutcome: ProposedOutcome;
  /** Decimal string, 6 decimals: bonds are uint256. */
  readonly bondAmount: string;
  /** Unix seconds. */
  readonly assertionTime: number;
  /** Unix seconds: the end of the dispute window. */
  readonly expirationTime: number;
  readonly disputed: boolean;
  readonly disputer?: Address;
  readonly settled: boolean;
  /** Whether the oracle found it true; false until it is settled. */
  readonly settlementResolution: boolean;
  readonly proposedAt: ChainPoint;
  readonly disputedAt?: ChainPoint;
  readonly settledAt?: ChainPoint;
}

export interface MarketResolution {
  readonly status: ResolutionStatus;
  /** Number of proposals so far. */
  readonly round: number;
  /**
   * The assertion that decided the market or, until then, the one that decides next unless something happens: the oldest undisputed
   * one, else the oldest. A market that resolves itself never has one.
   */
  readonly assertion?: Assertion;
  /** Further assertions that were not found false, oldest first; absent if there are none. */
  readonly others?: readonly Assertion[];
  /** Assertions that were found false, oldest first. */
  readonly history: readonly Assertion[];
  /**
   * Payout of a YES and of a NO share, in millionths unless a denominator is given; present once the conditional tokens
   * have it.
   */
  readonly payouts?: readonly [yes: number, no: number];
  /**
   * Only for a void event: the number of its outcomes, since its payouts, 1 for YES and all others for NO, need not be
   * whole millionths.
   */
  readonly payoutDenominator?: number;
  /** Absent for a void market. */
  readonly winningOutcome?: Outcome;
  /** Where the payouts were reported on chain. */
  readonly resolvedAt?: ChainPoint;
}

/** All assertions that were not found false, the one that decides next first. */
export function standingAssertions({ assertion, others = [] }: Pick<MarketResolution, 'assertion' | 'others'>) {
  return assertion === undefined ? others : [assertion, ...others];
}

/** Outcome on the wire and in records of claims: the winner, or -1 when each share pays half. */
export type ClaimOutcome = Outcome | -1;

export function toClaimOutcome({ winningOutcome }: Pick<MarketResolution, 'winningOutcome'>): ClaimOutcome {
  return winningOutcome ?? -1;
}

export function isDecided(resolution: MarketResolution | undefined): resolution is MarketResolution {
  return resolution?.status === 'resolved' || resolution?.status === 'void';
}
