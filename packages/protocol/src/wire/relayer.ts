// The names of relayed operations and the answers of their endpoints; the bodies are in `relay`, a file an operation.
import Type from 'typebox';
import { AddressText, Bytes32Text } from './scalars.ts';

export const RELAYER_OPERATIONS = [
  'ctf-approval',
  'stablecoin-permit',
  'ctf-redemption',
  'batch-ctf-redemption',
  'propose-resolution',
  'settle-market',
  'split',
  'merge',
  'order-permit',
  'cancel-order',
  'halt-trading',
  'resume-trading',
  'invalidate-nonce',
] as const;
export type RelayerOperation = (typeof RELAYER_OPERATIONS)[number];

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
