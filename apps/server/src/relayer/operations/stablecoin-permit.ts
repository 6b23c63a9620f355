// A permit as a call: anybody may have submitted it first, since its signature is public as soon as it is sent.
import { PresageError, stablecoinPermitOperation } from '@presage/protocol';
import { findUsedPermit } from '../used-permit.ts';
import { relayedOperation } from './operation.ts';

export const relayedPermit = relayedOperation(stablecoinPermitOperation, {
  gas: 200_000n,
  signatureFault: 'InvalidPermit()',
  check: ({ spender }, { settlement, conditionalTokens }) => {
    if (spender === settlement || spender === conditionalTokens) return;
    throw new PresageError('spender_not_allowed', { spender, allowed: { settlement, conditionalTokens } });
  },
  call: ({ owner, spender, value, deadline, v, r, s }, { contracts }) =>
    contracts.stablecoin.call('permit', [owner, spender, value, deadline, v, r, s]),
  findEffect: (request, _reason, { permits }) => findUsedPermit(permits, request),
});
