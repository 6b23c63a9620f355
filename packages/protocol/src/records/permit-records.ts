// The record of an order's permit: its result, in the market's partition.
import Type from 'typebox';
import { CountField, HashField, type RecordIn } from './record-scalars.ts';

/** `skipped`: not sent because it is invalid or would do harm; the order stays without it. */
const PERMIT_STATUSES = ['submitted', 'confirmed', 'failed', 'skipped'] as const;
export type PermitStatus = (typeof PERMIT_STATUSES)[number];

export const PERMIT_SHAPES = {
  'permit-changed': Type.Object({
    timeMs: CountField,
    marketId: HashField,
    orderHash: HashField,
    status: Type.Enum([...PERMIT_STATUSES]),
    /** Hash of our transaction, or of somebody else's that was mined first. */
    txHash: Type.Optional(HashField),
    /** Why it failed or was skipped. */
    reason: Type.Optional(Type.String()),
  }),
};

export type PermitChanged = RecordIn<typeof PERMIT_SHAPES, 'permit-changed'>;
