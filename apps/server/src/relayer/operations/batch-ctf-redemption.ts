// Several redemptions as one call; by their nonces the contract skips those that somebody else has carried out.
import { batchRedemptionOperation } from '@presage/protocol';
import { toSignatureBytes } from '../signature-proof.ts';
import { checkRedemption, relayedRedemption } from './ctf-redemption.ts';
import { relayedOperation } from './operation.ts';

const BASE_GAS = 100_000n;

export const relayedBatch = relayedOperation(batchRedemptionOperation, {
  gas: BASE_GAS,
  provesHoldings: true,
  check: ({ redemptions }, policy) => {
    for (const [index, each] of redemptions.entries()) checkRedemption(policy, each, `redemptions.${index}.`);
  },
  call: ({ owner, redemptions }, { contracts }) => {
    const encode = (nonces: readonly bigint[], count = redemptions.length) =>
      contracts.conditionalTokens.call('redeemPositionsBatchBySig', [
        redemptions
          .slice(0, count)
          .map(({ collateralToken, parentCollectionId, conditionId, indexSets, deadline, ...proof }, index) => {
            const what = { owner, collateralToken, parentCollectionId, conditionId, indexSets };
            const signature = toSignatureBytes({ deadline, ...proof });
            return { ...what, nonce: nonces[index] ?? 0n, deadline, signature };
          }),
      ]);
    return {
      ...encode([]),
      complete: async (nonces) => ({
        data: encode(nonces).data,
        prefixes: redemptions.map((_, index) => encode(nonces, index + 1).data),
      }),
      gas: BASE_GAS + relayedRedemption.gas * BigInt(redemptions.length),
    };
  },
  redemptions: ({ redemptions }) => redemptions,
});
