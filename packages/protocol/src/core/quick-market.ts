// One window of a quick market as the journal keeps it: the whole state each time, the newest record of a window holds.
import Type from 'typebox';
import { AddressField, BytesField, CountField, DecimalField, HashField } from '../records/record-scalars.ts';
import type { Address, MarketId, TransactionHash } from './ids.ts';

/**
 * created: its contract stands; striking: the start price is known and on its way to the chain; open: struck;
 * resolving: the end price is known and on its way; voiding: there is no end price; settled: the payouts are reported;
 * skipped: it was never struck and never will be.
 */
export const QUICK_STAGES = ['created', 'striking', 'open', 'resolving', 'voiding', 'settled', 'skipped'] as const;
export type QuickStage = (typeof QUICK_STAGES)[number];

/** The primary's price at a boundary, with what proves it on chain. */
export interface BoundaryEvidence {
  /** int64 as a decimal string, in units of 10^expo. */
  readonly price: string;
  readonly expo: number;
  /** Unix seconds. */
  readonly publishTime: number;
  readonly payload: `0x${string}`;
}

/** What the contract's creation says. */
export interface QuickCreation {
  readonly marketId: MarketId;
  readonly contractAddress: Address;
  readonly maker: Address;
  readonly yesTokenId: string;
  readonly noTokenId: string;
  /** Unix seconds, of the block. */
  readonly createdAt: number;
  readonly blockNumber: number;
  readonly transactionHash: TransactionHash;
}

export interface QuickWindow {
  readonly asset: string;
  /** Unix seconds; with the asset it names the window. */
  readonly startTime: number;
  readonly stage: QuickStage;
  readonly creation: QuickCreation;
  /** Counts the windows that were opened, of all assets; from `open` on. */
  readonly id?: number;
  /** From `striking` on. */
  readonly start?: BoundaryEvidence;
  /** From `resolving` on. */
  readonly end?: BoundaryEvidence;
}

export interface QuickMarketChanged {
  readonly type: 'quick-market-changed';
  readonly timeMs: number;
  readonly window: QuickWindow;
}

const EvidenceJson = Type.Object({
  price: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
  expo: Type.Integer(),
  publishTime: CountField,
  payload: BytesField,
});

export const QUICK_SHAPES = {
  'quick-market-changed': Type.Object({
    timeMs: CountField,
    window: Type.Object({
      asset: Type.String({ pattern: '^[A-Z0-9]{1,16}$' }),
      startTime: CountField,
      stage: Type.Enum([...QUICK_STAGES]),
      creation: Type.Object({
        marketId: HashField,
        contractAddress: AddressField,
        maker: AddressField,
        yesTokenId: DecimalField,
        noTokenId: DecimalField,
        createdAt: CountField,
        blockNumber: CountField,
        transactionHash: HashField,
      }),
      id: Type.Optional(Type.Integer({ minimum: 1 })),
      start: Type.Optional(EvidenceJson),
      end: Type.Optional(EvidenceJson),
    }),
  }),
};
