// Taking back a nonce as a call: settlement, conditional tokens and markets count the operations of their owners alike.
import { invalidateNonceOperation } from '@presage/protocol';
import { checkMarketAt } from '../call-policy.ts';
import { toSignatureBytes } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

export const relayedInvalidation = relayedOperation(invalidateNonceOperation, {
  gas: 200_000n,
  check: ({ contract }, policy) => {
    if (contract !== policy.settlement && contract !== policy.conditionalTokens) checkMarketAt(policy, contract);
  },
  call: (request, { contracts }) => {
    const args = [request.owner, request.deadline, toSignatureBytes(request)] as const;
    return contracts.market(request.contract).call('invalidateNonceBySig', args);
  },
});
