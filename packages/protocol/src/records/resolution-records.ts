// Records of resolution, of shares that moved on chain outside of trades, and of claims; with the shapes they are checked by.
import Type from 'typebox';
import type { Address, Bytes32, MarketId, TransactionHash } from '../core/ids.ts';
import { type ClaimOutcome, RESOLUTION_STATUSES } from '../core/resolution.ts';
import {
  AddressField,
  BitField,
  ClaimOutcomeField,
  CountField,
  DecimalField,
  HashField,
  ProposedOutcomeField,
  SignedDecimalField,
} from './record-scalars.ts';

/** A log of one block as a fact of one wallet in one market, in the market's partition. */
interface ChainFact {
  readonly timeMs: number;
  readonly marketId: MarketId;
  readonly userAddress: Address;
  readonly txHash: TransactionHash;
  readonly logIndex: number;
  readonly blockNumber: number;
  readonly blockHash: Bytes32;
  /** Unix seconds, of the block. */
  readonly timestamp: number;
}

const SHARE_MOVES = ['transfer', 'split', 'merge'] as const;
export type ShareMoveCause = (typeof SHARE_MOVES)[number];

/** Shares came or went without a trade. */
export interface SharesMoved extends ChainFact {
  readonly type: 'shares-moved';
  readonly cause: ShareMoveCause;
  /** Signed decimal strings: what came, or with a minus what went. */
  readonly yesShares: string;
  readonly noShares: string;
}

/** Somebody redeemed, through the relayer or not: the shares are gone, the payout is theirs. */
export interface PayoutRedeemed extends ChainFact {
  readonly type: 'payout-redeemed';
  /** Decimal strings: the shares that were burned. */
  readonly yesShares: string;
  readonly noShares: string;
  readonly payout: string;
  readonly winningOutcome: ClaimOutcome;
}

const REWIND_CAUSES = ['reorg', 'restart'] as const;
export type RewindCause = (typeof REWIND_CAUSES)[number];

/**
 * Every shares-moved and payout-redeemed of a block above is void; what stands comes again. After a reorg, so is every
 * position-synced of such a block. The cause `restart` was written by earlier versions at every start, when the blocks could well be the same;
 * now it is only for their cursors.
 */
export interface ChainRewound {
  readonly type: 'chain-rewound';
  readonly timeMs: number;
  readonly chainId: number;
  readonly toBlock: number;
  readonly cause: RewindCause;
}

export const CLAIM_STATUSES = ['pending', 'confirmed', 'failed'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

/** Where a relayed redemption of one market stands; the newest record of a claim holds. */
export interface ClaimChanged {
  readonly type: 'claim-changed';
  readonly timeMs: number;
  /** Id of the relayed operation, kept when its transaction is replaced. Together with the market it identifies the claim. */
  readonly claimId: string;
  readonly txHash: TransactionHash;
  readonly userAddress: Address;
  readonly marketAddress: Address;
  readonly marketId: MarketId;
  /** Decimal string: what is expected to be paid. */
  readonly payout: string;
  readonly winningOutcome: ClaimOutcome;
  /** Unix seconds. */
  readonly submittedAt: number;
  readonly status: ClaimStatus;
  /** Only of a failed one. */
  readonly reason?: string;
}

export type ResolutionRecord = SharesMoved | PayoutRedeemed | ChainRewound | ClaimChanged;

const PointJson = Type.Object({ transactionHash: HashField, blockNumber: CountField, blockHash: HashField });

const AssertionJson = Type.Object({
  id: HashField,
  proposer: AddressField,
  bondPayer: AddressField,
  proposedOutcome: ProposedOutcomeField,
  bondAmount: DecimalField,
  assertionTime: CountField,
  expirationTime: CountField,
  disputed: Type.Boolean(),
  disputer: Type.Optional(AddressField),
  settled: Type.Boolean(),
  settlementResolution: Type.Boolean(),
  proposedAt: PointJson,
  disputedAt: Type.Optional(PointJson),
  settledAt: Type.Optional(PointJson),
});

export const ResolutionJson = Type.Object({
  status: Type.Enum([...RESOLUTION_STATUSES]),
  round: CountField,
  assertion: Type.Optional(AssertionJson),
  history: Type.Array(AssertionJson),
  payouts: Type.Optional(Type.Tuple([CountField, CountField])),
  winningOutcome: Type.Optional(BitField),
  resolvedAt: Type.Optional(PointJson),
});

const fact = {
  timeMs: CountField,
  marketId: HashField,
  userAddress: AddressField,
  txHash: HashField,
  logIndex: CountField,
  blockNumber: CountField,
  blockHash: HashField,
  timestamp: CountField,
};

export const RESOLUTION_SHAPES = {
  'shares-moved': Type.Object({
    ...fact,
    cause: Type.Enum([...SHARE_MOVES]),
    yesShares: SignedDecimalField,
    noShares: SignedDecimalField,
  }),
  'payout-redeemed': Type.Object({
    ...fact,
    yesShares: DecimalField,
    noShares: DecimalField,
    payout: DecimalField,
    winningOutcome: ClaimOutcomeField,
  }),
  'chain-rewound': Type.Object({
    timeMs: CountField,
    chainId: CountField,
    toBlock: Type.Integer({ minimum: -1 }),
    cause: Type.Enum([...REWIND_CAUSES]),
  }),
  'claim-changed': Type.Object({
    timeMs: CountField,
    claimId: Type.String(),
    txHash: HashField,
    userAddress: AddressField,
    marketAddress: AddressField,
    marketId: HashField,
    payout: DecimalField,
    winningOutcome: ClaimOutcomeField,
    submittedAt: CountField,
    status: Type.Enum([...CLAIM_STATUSES]),
    reason: Type.Optional(Type.String()),
  }),
};
