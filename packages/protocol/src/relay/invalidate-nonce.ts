// Takes back what a wallet signed for its next nonce at a contract.
import Type from 'typebox';
import { relayOperation, signs } from './operation.ts';
import { AddressField, owned, signed } from './operation-fields.ts';

export const InvalidateNonceInput = Type.Object({ ...owned, contract: AddressField, ...signed });

export const invalidateNonceOperation = relayOperation({
  name: 'invalidate-nonce',
  id: 'relayInvalidation',
  summary: 'Take back what a wallet signed for its next nonce at a contract',
  description: 'The contract is the settlement, the conditional tokens or a market.',
  body: InvalidateNonceInput,
  read: (body, reader) => ({
    ...reader.owned(body.chainId, body.owner),
    contract: reader.address('contract', body.contract),
    ...reader.signature(body),
  }),
  signs: ({ owner, contract, ...signature }) => [{ ...signs('InvalidateNonce', { owner }, signature), contract }],
});
