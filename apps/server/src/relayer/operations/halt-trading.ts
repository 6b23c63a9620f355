// A halt as a call.
import { haltTradingOperation } from '@presage/protocol';
import { toSignatureBytes } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

export const relayedHalt = relayedOperation(haltTradingOperation, {
  gas: 200_000n,
  call: (request, { contracts }) =>
    contracts.settlement.call('haltTradingBySig', [request.owner, request.deadline, toSignatureBytes(request)]),
});
