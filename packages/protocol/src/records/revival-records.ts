// Records and shapes of fills that are on chain although their trade had failed.
import Type from 'typebox';
import { CountField, HashField, type RecordIn } from './record-scalars.ts';

export const SettlementJson = Type.Object({
  transactionHash: HashField,
  batchIndex: CountField,
  isBatch: Type.Boolean(),
  attempt: CountField,
  blockNumber: Type.Optional(CountField),
  blockHash: Type.Optional(HashField),
  minted: Type.Optional(CountField),
});

const REVIVED_STAGES = ['confirmed', 'failed'] as const;

export const REVIVAL_SHAPES = {
  /**
   * A trade that had failed for good is settled after all: a reorganization removed blocks that counted as final, and
   * its batch was mined again. The stage is `failed` if that block has left the chain, too. The engine repaired the
   * book when the trade failed, and keeps that.
   */
  'trade-revived': Type.Object({
    timeMs: CountField,
    marketId: HashField,
    tradeId: Type.String(),
    stage: Type.Enum([...REVIVED_STAGES]),
    settlement: SettlementJson,
  }),
};

export type TradeRevived = RecordIn<typeof REVIVAL_SHAPES, 'trade-revived'>;
