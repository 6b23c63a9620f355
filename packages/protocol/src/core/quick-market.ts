// One window of a quick market as the journal keeps it. Each record holds the whole state; the newest one counts.
import Type, { type Static } from 'typebox';
import {
  AddressField,
  BytesField,
  CountField,
  DecimalField,
  type DeepReadonly,
  HashField,
  type RecordIn,
} from '../records/record-scalars.ts';
import { MAX_FEE_RATE_BPS, MAX_MAKER_SHARE_BPS } from './fees.ts';

/**
 * created: its contract exists; striking: the start price is known and being sent to the chain; open: the start price
 * is set on chain; resolving: the end price is known and being sent; voiding: there is no end price; settled: the
 * payouts are reported; skipped: it was never struck and never will be, or a deep reorganization removed it from the
 * chain.
 */
export const QUICK_STAGES = ['created', 'striking', 'open', 'resolving', 'voiding', 'settled', 'skipped'] as const;
export type QuickStage = (typeof QUICK_STAGES)[number];

/** The primary source's price at a boundary, with its proof for the chain. */
const EvidenceJson = Type.Object({
  /** int64, in units of 10^expo. */
  price: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
  expo: Type.Integer(),
  /** Unix seconds. */
  publishTime: CountField,
  payload: BytesField,
});

/** Facts from the creation of the window's contract. */
const CreationJson = Type.Object({
  marketId: HashField,
  contractAddress: AddressField,
  maker: AddressField,
  yesTokenId: DecimalField,
  noTokenId: DecimalField,
  /** Unix seconds, of the block. */
  createdAt: CountField,
  blockNumber: CountField,
  transactionHash: HashField,
  /** Taker fee; absent if it is 0. */
  feeRateBps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_FEE_RATE_BPS })),
  makerShareBps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAKER_SHARE_BPS })),
});

const WindowJson = Type.Object({
  asset: Type.String({ pattern: '^[A-Z0-9]{1,16}$' }),
  /** Unix seconds; start time and asset identify the window. */
  startTime: CountField,
  stage: Type.Enum([...QUICK_STAGES]),
  creation: CreationJson,
  /** Number of the window among all that were opened, of all assets; present from `open` on. */
  id: Type.Optional(Type.Integer({ minimum: 1 })),
  /** Present from `striking` on. */
  start: Type.Optional(EvidenceJson),
  /** Present from `resolving` on. */
  end: Type.Optional(EvidenceJson),
});

export const QUICK_SHAPES = { 'quick-market-changed': Type.Object({ timeMs: CountField, window: WindowJson }) };

export type BoundaryEvidence = DeepReadonly<Static<typeof EvidenceJson>>;
export type QuickCreation = DeepReadonly<Static<typeof CreationJson>>;
export type QuickWindow = DeepReadonly<Static<typeof WindowJson>>;
export type QuickMarketChanged = RecordIn<typeof QUICK_SHAPES, 'quick-market-changed'>;
