// Turns as many YES and NO into stablecoin.
import { relayOperation, signs } from './operation.ts';
import { readAmountRequest, SplitInput } from './split.ts';

export const mergeOperation = relayOperation({
  name: 'merge',
  id: 'relayMerge',
  summary: 'Turn as many YES and NO into stablecoin',
  body: SplitInput,
  read: readAmountRequest,
  signs: ({ owner, collateralToken, conditionId, amount, ...signature }) => [
    signs('MergePositions', { owner, collateralToken, conditionId, amount }, signature),
  ],
});
