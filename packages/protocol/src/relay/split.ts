// Turns stablecoin into as many YES and NO.
import Type, { type Static } from 'typebox';
import type { Address, Bytes32 } from '../core/ids.ts';
import { Bytes32Text, Uint256Input } from '../wire/scalars.ts';
import { relayOperation, signs } from './operation.ts';
import { AddressField, owned, signed } from './operation-fields.ts';
import type { Owned, RequestReader, Signature } from './request-reader.ts';

/** A split or a merge. */
export interface AmountRequest extends Owned, Signature {
  readonly collateralToken: Address;
  readonly conditionId: Bytes32;
  readonly amount: bigint;
}

export const SplitInput = Type.Object({
  ...owned,
  collateralToken: AddressField,
  conditionId: Bytes32Text,
  amount: Uint256Input,
  ...signed,
});

export function readAmountRequest(body: Static<typeof SplitInput>, reader: RequestReader): AmountRequest {
  return {
    ...reader.owned(body.chainId, body.owner),
    collateralToken: reader.address('collateralToken', body.collateralToken),
    conditionId: reader.id(body.conditionId),
    amount: reader.integer('amount', body.amount),
    ...reader.signature(body),
  };
}

export const splitOperation = relayOperation({
  name: 'split',
  id: 'relaySplit',
  summary: 'Turn stablecoin into as many YES and NO',
  body: SplitInput,
  read: readAmountRequest,
  signs: ({ owner, collateralToken, conditionId, amount, ...signature }) => [
    signs('SplitPosition', { owner, collateralToken, conditionId, amount }, signature),
  ],
});
