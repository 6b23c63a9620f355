// Redeems the winning shares of one market.
import Type, { type Static } from 'typebox';
import type { Address, Bytes32 } from '../core/ids.ts';
import { Bytes32Text, Uint256Input } from '../wire/scalars.ts';
import { relayOperation, type SignedMessage, signs } from './operation.ts';
import { AddressField, owned, signed } from './operation-fields.ts';
import type { RequestReader, Signature } from './request-reader.ts';

export interface Redemption extends Signature {
  readonly collateralToken: Address;
  readonly parentCollectionId: Bytes32;
  readonly conditionId: Bytes32;
  readonly indexSets: readonly bigint[];
  readonly marketAddress?: Address;
}

/** The fields of a redemption, alone or in a batch. */
export const redemptionFields = {
  collateralToken: AddressField,
  parentCollectionId: Bytes32Text,
  conditionId: Bytes32Text,
  indexSets: Type.Array(Uint256Input, { minItems: 1, maxItems: 8, description: '1 to 8 index sets' }),
};

export const CtfRedemptionInput = Type.Object({
  ...owned,
  ...redemptionFields,
  marketAddress: Type.Optional(AddressField),
  ...signed,
});

export function readRedemption(
  body: Omit<Static<typeof CtfRedemptionInput>, 'chainId' | 'owner'>,
  reader: RequestReader,
): Redemption {
  const { marketAddress } = body;
  return {
    collateralToken: reader.address('collateralToken', body.collateralToken),
    parentCollectionId: reader.id(body.parentCollectionId),
    conditionId: reader.id(body.conditionId),
    indexSets: body.indexSets.map((indexSet, index) => reader.integer(String(index), indexSet)),
    ...(marketAddress !== undefined && { marketAddress: reader.address('marketAddress', marketAddress) }),
    ...reader.signature(body),
  };
}

export function signsRedemption(owner: Address, { marketAddress: _, ...redeemed }: Redemption): SignedMessage {
  const { collateralToken, parentCollectionId, conditionId, indexSets, ...signature } = redeemed;
  const message = { owner, collateralToken, parentCollectionId, conditionId, indexSets };
  return signs('RedeemPositions', message, signature);
}

export const ctfRedemptionOperation = relayOperation({
  name: 'ctf-redemption',
  id: 'relayRedemption',
  summary: 'Redeem the winning shares of a market',
  errors: ['nothing_to_redeem'],
  body: CtfRedemptionInput,
  read: (body, reader) => ({ ...reader.owned(body.chainId, body.owner), ...readRedemption(body, reader) }),
  signs: ({ owner, chainId: _, ...redeemed }) => [signsRedemption(owner, redeemed)],
});
