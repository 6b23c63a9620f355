// An approval as a call: the operator pays for the settlement contract only.
import { ctfApprovalOperation } from '@presage/protocol';
import { requireArgument } from '../call-policy.ts';
import { proofOf } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

export const relayedApproval = relayedOperation(ctfApprovalOperation, {
  gas: 200_000n,
  check: ({ operator }, { settlement }) =>
    requireArgument(operator === settlement, 'operator', `the settlement contract, ${settlement}`),
  call: (request, { contracts }) => {
    const { owner, operator, approved } = request;
    const args = [owner, operator, approved, ...proofOf(request)] as const;
    return contracts.conditionalTokens.call('setApprovalForAllBySig', args);
  },
});
