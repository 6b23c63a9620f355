// Records and shapes of resolution, of shares that moved on chain outside of trades, and of claims.
import Type from 'typebox';
import { MAX_OUTCOMES } from '../core/outcome-ids.ts';
import { RESOLUTION_STATUSES } from '../core/resolution.ts';
import {
  AddressField,
  BitField,
  ClaimOutcomeField,
  CountField,
  DecimalField,
  HashField,
  ProposedOutcomeField,
  type RecordIn,
  SignedDecimalField,
} from './record-scalars.ts';

const SHARE_MOVES = ['transfer', 'split', 'merge', 'conversion'] as const;
export type ShareMoveCause = (typeof SHARE_MOVES)[number];

const REWIND_CAUSES = ['reorg', 'restart'] as const;
export type RewindCause = (typeof REWIND_CAUSES)[number];

export const CLAIM_STATUSES = ['pending', 'confirmed', 'failed'] as const;
export type ClaimStatus = (typeof CLAIM_STATUSES)[number];

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
  others: Type.Optional(Type.Array(AssertionJson)),
  history: Type.Array(AssertionJson),
  payouts: Type.Optional(Type.Tuple([CountField, CountField])),
  payoutDenominator: Type.Optional(Type.Integer({ minimum: 2, maximum: MAX_OUTCOMES })),
  winningOutcome: Type.Optional(BitField),
  resolvedAt: Type.Optional(PointJson),
});

/** Fields of a fact about one wallet in one market, taken from a log of one block; kept in the market's partition. */
const fact = {
  timeMs: CountField,
  marketId: HashField,
  userAddress: AddressField,
  txHash: HashField,
  logIndex: CountField,
  blockNumber: CountField,
  blockHash: HashField,
  /** Unix seconds of the block. */
  timestamp: CountField,
};

/**
 * Shares of several outcomes of one event became shares of others, in one log. Each outcome's market has a record of it
 * with the same transaction and log index, and all of them describe the whole conversion, so that the cost of the given
 * shares is carried to the received ones.
 */
const ConversionJson = Type.Object({
  /**
   * Bit set of the outcomes whose shares were given: NO if YES of others was received; YES if NO, or only collateral,
   * was.
   */
  gave: DecimalField,
  /** Bit set of the outcomes whose shares were received; 0 if only collateral was. */
  got: DecimalField,
  /** Collateral received or, if negative, paid. */
  freed: SignedDecimalField,
});

export const RESOLUTION_SHAPES = {
  /** Shares arrived or, if negative, left without a trade. */
  'shares-moved': Type.Object({
    ...fact,
    cause: Type.Enum([...SHARE_MOVES]),
    yesShares: SignedDecimalField,
    noShares: SignedDecimalField,
    /** Present only for a conversion. */
    conversion: Type.Optional(ConversionJson),
  }),
  /** A wallet redeemed, through the relayer or not: its shares are gone, the payout is its own. */
  'payout-redeemed': Type.Object({
    ...fact,
    yesShares: DecimalField,
    noShares: DecimalField,
    payout: DecimalField,
    winningOutcome: ClaimOutcomeField,
  }),
  /**
   * Every shares-moved and payout-redeemed of a later block is void; those that are still on chain are recorded again.
   * After a reorg, so is every position-synced of such a block. Earlier versions wrote the cause `restart` at every
   * start, when the blocks could well be the same; now it is only for cursors of those versions.
   */
  'chain-rewound': Type.Object({
    timeMs: CountField,
    chainId: CountField,
    toBlock: Type.Integer({ minimum: -1 }),
    cause: Type.Enum([...REWIND_CAUSES]),
  }),
  /** Status of a relayed redemption of one market; the newest record of a claim counts. */
  'claim-changed': Type.Object({
    timeMs: CountField,
    /** Id of the relayed operation, kept when its transaction is replaced. Together with the market it identifies the claim. */
    claimId: Type.String(),
    txHash: HashField,
    userAddress: AddressField,
    marketAddress: AddressField,
    marketId: HashField,
    /** Expected payout. */
    payout: DecimalField,
    winningOutcome: ClaimOutcomeField,
    /** Unix seconds. */
    submittedAt: CountField,
    status: Type.Enum([...CLAIM_STATUSES]),
    /** Present only for a failed claim. */
    reason: Type.Optional(Type.String()),
  }),
};

type ResolutionRecordOf<Name extends keyof typeof RESOLUTION_SHAPES> = RecordIn<typeof RESOLUTION_SHAPES, Name>;
export type Conversion = NonNullable<SharesMoved['conversion']>;
export type SharesMoved = ResolutionRecordOf<'shares-moved'>;
export type PayoutRedeemed = ResolutionRecordOf<'payout-redeemed'>;
export type ChainRewound = ResolutionRecordOf<'chain-rewound'>;
export type ClaimChanged = ResolutionRecordOf<'claim-changed'>;
export type ResolutionRecord = SharesMoved | PayoutRedeemed | ChainRewound | ClaimChanged;
