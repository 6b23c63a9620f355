// Redeems several markets in one transaction; each redemption is signed by itself.
import Type from 'typebox';
import { LIMITS } from '../core/limits.ts';
import { readRedemption, redemptionFields, signsRedemption } from './ctf-redemption.ts';
import { relayOperation } from './operation.ts';
import { AddressField, owned, signed } from './operation-fields.ts';

export const BatchRedemptionInput = Type.Object({
  ...owned,
  redemptions: Type.Array(Type.Object({ ...redemptionFields, marketAddress: AddressField, ...signed }), {
    minItems: 1,
    maxItems: LIMITS.batchRedemptions,
    description: `1 to ${LIMITS.batchRedemptions} redemptions`,
  }),
});

export const batchRedemptionOperation = relayOperation({
  name: 'batch-ctf-redemption',
  id: 'relayRedemptions',
  summary: 'Redeem several markets in one transaction',
  errors: ['nothing_to_redeem'],
  body: BatchRedemptionInput,
  read: (body, reader) => ({
    ...reader.owned(body.chainId, body.owner),
    redemptions: body.redemptions.map((each) => readRedemption(each, reader)),
  }),
  signs: ({ owner, redemptions }) => redemptions.map((each) => signsRedemption(owner, each)),
});

export const { parse: parseBatchRedemption } = batchRedemptionOperation;
