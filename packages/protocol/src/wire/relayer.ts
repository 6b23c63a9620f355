// The answers of the relayer's endpoints; the bodies belong to the operations of the server.
import Type from 'typebox';
import { RELAYER_OPERATIONS } from '../signing/signed-types.ts';
import { AddressText, Bytes32Text } from './scalars.ts';

export const RelayerAnswer = Type.Object({
  success: Type.Literal(true),
  tx_hash: Type.String({
    description: 'empty when somebody else had the same effect and their transaction is not known',
  }),
});

export const BatchRedemptionAnswer = Type.Object({
  success: Type.Literal(true),
  txHash: Bytes32Text,
  status: Type.Enum(['pending', 'confirmed']),
});

export const RELAYED_STAGES = ['reserved', 'submitted', 'mined', 'confirmed', 'retrying', 'failed'] as const;
export type RelayedStage = (typeof RELAYED_STAGES)[number];

export const RelayedTransaction = Type.Object({
  found: Type.Literal(true),
  txHash: Bytes32Text,
  status: Type.Enum(['pending', 'confirmed', 'failed']),
  stage: Type.Enum([...RELAYED_STAGES]),
  operation: Type.Enum([...RELAYER_OPERATIONS]),
  owner: AddressText,
  blockNumber: Type.Union([Type.Integer(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
});
