// Permits of the stablecoin (EIP-2612), posted alone or with an order: only keys can sign them.
import { PresageError, toChecksumAddress, Uint256Input } from '@presage/protocol';
import Type from 'typebox';
import type { OrderPermitRequest } from '../ports.ts';
import { findUsedPermit, type SignedPermit } from '../used-permit.ts';
import { type RelayedOperation, relayedOperation, signs } from './operation.ts';
import { AddressText, owned, requestInput, signedByKey } from './request-input.ts';

const permit: Omit<RelayedOperation<SignedPermit>, 'endpoint'> = {
  signs: ({ owner, spender, value, ...signature }) => [signs('Permit', { owner, spender, value }, signature)],
  gas: 200_000n,
  signatureFault: 'InvalidPermit()',
  isReadOnChain: true,
  call: ({ owner, spender, value, deadline, v, r, s }, { contracts }) =>
    contracts.stablecoin.call('permit', [owner, spender, value, deadline, v, r, s]),
};

const StablecoinPermitInput = Type.Object({ ...owned, spender: AddressText, value: Uint256Input, ...signedByKey });

export const permitOperations = {
  'stablecoin-permit': relayedOperation({
    ...permit,
    endpoint: {
      id: 'relayPermit',
      summary: 'Let a contract of ours draw a wallet’s stablecoin',
      description: 'The spender is the settlement or the conditional-tokens contract.',
      errors: ['spender_not_allowed'],
      input: requestInput('StablecoinPermitInput', StablecoinPermitInput, (body, reader) => ({
        ...reader.owned(body.chainId, body.owner),
        spender: reader.address('spender', body.spender),
        value: reader.integer('value', body.value),
        ...reader.keySignature(body),
      })),
    },
    check: ({ spender }, { settlement, conditionalTokens }) => {
      if (spender === settlement || spender === conditionalTokens) return;
      const allowed = {
        settlement: toChecksumAddress(settlement),
        conditionalTokens: toChecksumAddress(conditionalTokens),
      };
      throw new PresageError('spender_not_allowed', { spender: toChecksumAddress(spender), allowed });
    },
    // Anybody may have submitted it first, since its signature is public as soon as it is sent.
    findEffect: (request, _reason, { permits }) => findUsedPermit(permits, request),
  }),
  // The permit of an order names its nonce, and the settlement contract is its spender.
  'order-permit': relayedOperation<OrderPermitRequest>({
    ...permit,
    nonceOf: ({ nonce }) => nonce,
    // An order's permit and the same permit posted alone are one transaction.
    sentAs: 'stablecoin-permit',
  }),
};
