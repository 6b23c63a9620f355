// The bodies and answers of the relayer endpoints; addresses and signatures are judged after the shape, each with its own text.
import Type from 'typebox';
import { LIMITS } from '../core/limits.ts';
import { AddressText, Bytes32Text, integerInput, Uint8Input, Uint64Input, Uint256Input } from './scalars.ts';

const AddressField = Type.String({ description: '0x and 40 hex digits' });
const SignaturePart = Type.String({ description: '0x and 64 hex digits' });
const Deadline = Type.Union(Uint256Input.anyOf, { description: 'Unix seconds, as a decimal string or a number' });

const ProposedOutcomeInput = integerInput(2n, '0 = YES, 1 = NO, 2 = each share pays half');

const signedByKey = { deadline: Deadline, v: Uint8Input, r: SignaturePart, s: SignaturePart };
/** A wallet that is a contract (EIP-1271) gives `signature` in place of v, r and s. */
const signed = {
  deadline: Deadline,
  v: Type.Optional(Uint8Input),
  r: Type.Optional(SignaturePart),
  s: Type.Optional(SignaturePart),
  signature: Type.Optional(
    Type.String({ description: 'of a wallet that is a contract (EIP-1271), in place of v, r and s' }),
  ),
};
const owned = { chainId: Uint64Input, owner: AddressField };

const redemption = {
  collateralToken: AddressField,
  parentCollectionId: Bytes32Text,
  conditionId: Bytes32Text,
  indexSets: Type.Array(Uint256Input, { minItems: 1, maxItems: 8, description: '1 to 8 index sets' }),
};
const amount = { collateralToken: AddressField, conditionId: Bytes32Text, amount: Uint256Input };

export const CtfApprovalInput = Type.Object({
  ...owned,
  operator: AddressField,
  approved: Type.Boolean({ description: 'true or false' }),
  ...signed,
});

export const StablecoinPermitInput = Type.Object({
  ...owned,
  spender: AddressField,
  value: Uint256Input,
  ...signedByKey,
});

export const CtfRedemptionInput = Type.Object({
  ...owned,
  ...redemption,
  marketAddress: Type.Optional(AddressField),
  ...signed,
});

export const BatchRedemptionInput = Type.Object({
  ...owned,
  redemptions: Type.Array(Type.Object({ ...redemption, marketAddress: AddressField, ...signed }), {
    minItems: 1,
    maxItems: LIMITS.batchRedemptions,
    description: `1 to ${LIMITS.batchRedemptions} redemptions`,
  }),
});

export const ProposeResolutionInput = Type.Object({
  chainId: Uint64Input,
  marketAddress: AddressField,
  proposer: AddressField,
  outcome: Type.Union([Type.Boolean(), ...ProposedOutcomeInput.anyOf], {
    description: 'true or 0 = YES, false or 1 = NO, 2 = the question has no answer: each share pays half',
  }),
  ...signed,
  bondPermitDeadline: Type.Optional(Deadline),
  bondV: Type.Optional(Uint8Input),
  bondR: Type.Optional(SignaturePart),
  bondS: Type.Optional(SignaturePart),
});

export const SettleMarketInput = Type.Object({
  chainId: Uint64Input,
  marketAddress: AddressField,
  settler: AddressField,
  winningOutcome: ProposedOutcomeInput,
  ...signed,
});

export const SplitInput = Type.Object({ ...owned, ...amount, ...signed });

export const CancelOrderInput = Type.Object({ ...owned, marketId: Bytes32Text, orderNonce: Uint64Input, ...signed });

/** Of a halt and of a resumption. */
export const HaltInput = Type.Object({ ...owned, ...signed });

export const InvalidateNonceInput = Type.Object({ ...owned, contract: AddressField, ...signed });

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
