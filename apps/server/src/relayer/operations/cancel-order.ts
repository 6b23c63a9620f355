// A cancel on the chain as a call.
import { cancelOrderOperation } from '@presage/protocol';
import { checkMarket } from '../call-policy.ts';
import { toSignatureBytes } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

export const relayedCancel = relayedOperation(cancelOrderOperation, {
  gas: 200_000n,
  check: ({ marketId }, policy) => checkMarket(policy, marketId, 'marketId'),
  call: (request, { contracts }) => {
    const { owner, marketId, orderNonce, deadline } = request;
    const args = [owner, marketId, orderNonce, deadline, toSignatureBytes(request)] as const;
    return contracts.settlement.call('requestCancelBySig', args);
  },
});
