// The record of a permit that came with an order: its result, in the market's partition.
import Type from 'typebox';
import { CountField, HashField, type RecordIn } from './record-scalars.ts';

/** `skipped`: not sent, since it is bad or would do harm, and the order stands without it. */
const PERMIT_STATUSES = ['submitted', 'confirmed', 'failed', 'skipped'] as const;
export type PermitStatus = (typeof PERMIT_STATUSES)[number];

export const PERMIT_SHAPES = {
  'permit-changed': Type.Object({
    timeMs: CountField,
    marketId: HashField,
    orderHash: HashField,
    status: Type.Enum([...PERMIT_STATUSES]),
    /** Ours, or that of somebody else who was first. */
    txHash: Type.Optional(HashField),
    /** Why it failed or was skipped. */
    reason: Type.Optional(Type.String()),
  }),
};

export type PermitChanged = RecordIn<typeof PERMIT_SHAPES, 'permit-changed'>;
