// The record of a permit that came with an order: its result, in the market's partition.
import Type from 'typebox';
import type { MarketId, OrderHash, TransactionHash } from '../core/ids.ts';
import { CountField, HashField } from './record-scalars.ts';

/** `skipped`: not sent, since it is bad or would do harm, and the order stands without it. */
const PERMIT_STATUSES = ['submitted', 'confirmed', 'failed', 'skipped'] as const;
export type PermitStatus = (typeof PERMIT_STATUSES)[number];

export interface PermitChanged {
  readonly type: 'permit-changed';
  readonly timeMs: number;
  readonly marketId: MarketId;
  readonly orderHash: OrderHash;
  readonly status: PermitStatus;
  /** Ours, or that of somebody else who was first. */
  readonly txHash?: TransactionHash;
  /** Why it failed or was skipped. */
  readonly reason?: string;
}

export const PERMIT_SHAPES = {
  'permit-changed': Type.Object({
    timeMs: CountField,
    marketId: HashField,
    orderHash: HashField,
    status: Type.Enum([...PERMIT_STATUSES]),
    txHash: Type.Optional(HashField),
    reason: Type.Optional(Type.String()),
  }),
};
