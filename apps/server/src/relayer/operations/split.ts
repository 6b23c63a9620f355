// A split as a call: it draws money by an allowance, so it waits for permits too.
import { type AmountRequest, splitOperation } from '@presage/protocol';
import { checkCondition } from '../call-policy.ts';
import { useOf } from '../nonce-use.ts';
import { proofOf } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

export const relayedSplit = relayedOperation(splitOperation, {
  gas: 500_000n,
  provesHoldings: true,
  check: (request, policy) => checkCondition(policy, request),
  call: (request, { contracts }) => ({
    ...contracts.conditionalTokens.call('splitPositionBySig', amountArguments(request)),
    uses: [useOf(request.owner, contracts.stablecoin.address, 0)],
  }),
});

/** The arguments of a split or a merge. */
export function amountArguments(request: AmountRequest) {
  const { owner, collateralToken, conditionId, amount } = request;
  return [owner, collateralToken, conditionId, amount, ...proofOf(request)] as const;
}
