// A resumption as a call.
import { resumeTradingOperation } from '@presage/protocol';
import { toSignatureBytes } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

export const relayedResumption = relayedOperation(resumeTradingOperation, {
  gas: 200_000n,
  call: (request, { contracts }) =>
    contracts.settlement.call('resumeTradingBySig', [request.owner, request.deadline, toSignatureBytes(request)]),
});
