// A redemption as a call, refused where it pays nothing.
import { ctfRedemptionOperation, type Redemption } from '@presage/protocol';
import { type CallPolicy, checkCondition, requireArgument } from '../call-policy.ts';
import { proofOf } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

const TOP_LEVEL = `0x${'00'.repeat(32)}`;

export const relayedRedemption = relayedOperation(ctfRedemptionOperation, {
  gas: 500_000n,
  provesHoldings: true,
  check: (request, policy) => checkRedemption(policy, request),
  call: (request, { contracts }) => {
    const { owner, collateralToken, parentCollectionId, conditionId, indexSets } = request;
    const what = [owner, collateralToken, parentCollectionId, conditionId, indexSets] as const;
    return contracts.conditionalTokens.call('redeemPositionsBySig', [...what, ...proofOf(request)]);
  },
  redemptions: (request) => [request],
});

/** `at` is the path of the redemption in the body. */
export function checkRedemption(policy: CallPolicy, redemption: Redemption, at = ''): void {
  const { parentCollectionId, conditionId, marketAddress } = redemption;
  checkCondition(policy, redemption, at);
  requireArgument(parentCollectionId === TOP_LEVEL, `${at}parentCollectionId`, 'zero bytes: the top level');
  const contract = policy.markets.find(conditionId)?.contractAddress;
  const isItsOwn = marketAddress === undefined || marketAddress === contract;
  requireArgument(isItsOwn, `${at}marketAddress`, `the market's contract, ${contract}`);
}
