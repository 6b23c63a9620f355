// A merge as a call.
import { mergeOperation } from '@presage/protocol';
import { checkCondition } from '../call-policy.ts';
import { relayedOperation } from './operation.ts';
import { amountArguments } from './split.ts';

export const relayedMerge = relayedOperation(mergeOperation, {
  gas: 500_000n,
  provesHoldings: true,
  check: (request, policy) => checkCondition(policy, request),
  call: (request, { contracts }) => contracts.conditionalTokens.call('mergePositionsBySig', amountArguments(request)),
});
