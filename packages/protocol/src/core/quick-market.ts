// One window of a quick market as the journal keeps it: the whole state each time, the newest record of a window holds.
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
 * created: its contract stands; striking: the start price is known and on its way to the chain; open: struck;
 * resolving: the end price is known and on its way; voiding: there is no end price; settled: the payouts are reported;
 * skipped: it was never struck and never will be, or a deep reorganization removed it from the chain.
 */
export const QUICK_STAGES = ['created', 'striking', 'open', 'resolving', 'voiding', 'settled', 'skipped'] as const;
export type QuickStage = (typeof QUICK_STAGES)[number];

/** The primary's price at a boundary, with what proves it on chain. */
const EvidenceJson = Type.Object({
  /** int64, in units of 10^expo. */
  price: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
  expo: Type.Integer(),
  /** Unix seconds. */
  publishTime: CountField,
  payload: BytesField,
});

/** What the contract's creation says. */
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
  /** What it charges takers; absent where it is nothing. */
  feeRateBps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_FEE_RATE_BPS })),
  makerShareBps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_MAKER_SHARE_BPS })),
});

const WindowJson = Type.Object({
  asset: Type.String({ pattern: '^[A-Z0-9]{1,16}$' }),
  /** Unix seconds; with the asset it names the window. */
  startTime: CountField,
  stage: Type.Enum([...QUICK_STAGES]),
  creation: CreationJson,
  /** Counts the windows that were opened, of all assets; from `open` on. */
  id: Type.Optional(Type.Integer({ minimum: 1 })),
  /** From `striking` on. */
  start: Type.Optional(EvidenceJson),
  /** From `resolving` on. */
  end: Type.Optional(EvidenceJson),
});

export const QUICK_SHAPES = { 'quick-market-changed': Type.Object({ timeMs: CountField, window: WindowJson }) };

export type BoundaryEvidence = DeepReadonly<Static<typeof EvidenceJson>>;
export type QuickCreation = DeepReadonly<Static<typeof CreationJson>>;
export type QuickWindow = DeepReadonly<Static<typeof WindowJson>>;
export type QuickMarketChanged = RecordIn<typeof QUICK_SHAPES, 'quick-market-changed'>;
