// Operations of the conditional tokens: approving the settlement, splitting, merging and redeeming.
import {
  type Address,
  type Bytes32,
  indexSetsOf,
  LIMITS,
  MAX_OUTCOMES,
  PresageError,
  toChecksumAddress,
  toIndexSet,
  Uint256Input,
} from '@presage/protocol';
import Type from 'typebox';
import { type CallPolicy, checkCollateral, checkCondition, requireArgument } from '../call-policy.ts';
import { useOf } from '../nonce-use.ts';
import type { Redemption, RelayerMarkets } from '../ports.ts';
import { proofOf, toSignatureBytes } from '../signature-proof.ts';
import { relayedOperation, type SignedMessage, signs } from './operation.ts';
import {
  AddressText,
  address,
  boolean,
  field,
  id,
  owned,
  readFields,
  requestInput,
  schemasOf,
  signed,
  signedInput,
  uint256,
} from './request-input.ts';
import { type Signature, ZERO_WORD } from './request-reader.ts';

const REDEMPTION_GAS = 500_000n;
/** Gas per outcome for each index set beyond the first, which sums up the payouts of its outcomes again. */
const REDEMPTION_GAS_PER_OUTCOME = 700n;
const CONVERSION_GAS = 200_000n;
/** Gas for YES of an outcome that the wallet had none of, or for NO that is burned: an id on the curve and a word of storage. */
const CONVERSION_GAS_PER_OUTCOME = 60_000n;
const BATCH_GAS = 100_000n;

const IndexSets = Type.Array(Uint256Input, { minItems: 1, maxItems: 8, description: '1 to 8 index sets' });
/** The fields of a redemption, alone or in a batch. */
const redemptionFields = {
  collateralToken: address,
  parentCollectionId: id,
  conditionId: id,
  indexSets: field(IndexSets, (sets, reader): readonly bigint[] =>
    sets.map((each, index) => reader.integer(String(index), each)),
  ),
};
const optionalAddress = field(Type.Optional(AddressText), (text: string | undefined, reader, name) =>
  text === undefined ? undefined : reader.address(name, text),
);

const BatchRedemptionInput = Type.Object({
  ...owned,
  redemptions: Type.Array(Type.Object({ ...schemasOf(redemptionFields), marketAddress: AddressText, ...signed }), {
    minItems: 1,
    maxItems: LIMITS.batchRedemptions,
    description: `1 to ${LIMITS.batchRedemptions} redemptions`,
  }),
});

interface SignedRedemption extends Signature, ReturnType<typeof readFields<typeof redemptionFields>> {
  readonly marketAddress: Address | undefined;
}

/** Indexes of outcomes in their event, as a bit set. */
const outcomeIndexes = field(
  Type.Array(Type.Integer({ minimum: 0, maximum: MAX_OUTCOMES - 1, description: 'the index of an outcome' }), {
    minItems: 1,
    maxItems: MAX_OUTCOMES,
    description: 'the indexes of the outcomes whose NO is given, each once',
  }),
  (indexes, reader, name): bigint => {
    if (new Set(indexes).size !== indexes.length) reader.refuse(name, 'the index of each outcome once');
    return toIndexSet(indexes);
  },
);

const amountInput = signedInput('SplitInput', { collateralToken: address, conditionId: id, amount: uint256 });
type AmountRequest = (ReturnType<typeof amountInput.parse> & { readonly ok: true })['value'];

export const shareOperations = {
  'ctf-approval': relayedOperation({
    endpoint: {
      id: 'relayApproval',
      summary: 'Let the settlement contract move a wallet’s shares',
      input: signedInput('CtfApprovalInput', { operator: address, approved: boolean }),
    },
    signs: ({ owner, operator, approved, ...signature }) => [
      signs('SetApprovalForAll', { owner, operator, approved }, signature),
    ],
    gas: 200_000n,
    isReadOnChain: true,
    check: ({ operator }, { settlement }) =>
      requireArgument(operator === settlement, 'operator', `the settlement contract, ${toChecksumAddress(settlement)}`),
    call: (request, { contracts }) => {
      const { owner, operator, approved } = request;
      const args = [owner, operator, approved, ...proofOf(request)] as const;
      return contracts.conditionalTokens.call('setApprovalForAllBySig', args);
    },
  }),
  split: relayedOperation({
    endpoint: { id: 'relaySplit', summary: 'Turn stablecoin into as many YES and NO', input: amountInput },
    signs: (request) => [signsAmount('SplitPosition', request)],
    gas: 500_000n,
    provesHoldings: true,
    check: (request, policy) => checkCondition(policy, request),
    // A split draws money by an allowance, so it also waits for permits.
    call: (request, { contracts }) => ({
      ...contracts.conditionalTokens.call('splitPositionBySig', amountArguments(request)),
      uses: [useOf(request.owner, contracts.stablecoin.address, 0)],
    }),
  }),
  merge: relayedOperation({
    endpoint: { id: 'relayMerge', summary: 'Turn as many YES and NO into stablecoin', input: amountInput },
    signs: (request) => [signsAmount('MergePositions', request)],
    gas: 500_000n,
    provesHoldings: true,
    check: (request, policy) => checkCondition(policy, request),
    call: (request, { contracts }) => contracts.conditionalTokens.call('mergePositionsBySig', amountArguments(request)),
  }),
  'ctf-conversion': relayedOperation({
    endpoint: {
      id: 'relayConversion',
      summary: 'Turn NO of several outcomes of an event into YES of all others, and stablecoin',
      description:
        'Pays `amount` for each NO but one. Of one NO it gives YES of every other outcome, and no stablecoin.',
      errors: ['event_not_found'],
      input: signedInput('CtfConversionInput', { eventId: id, indexes: outcomeIndexes, amount: uint256 }),
    },
    signs: ({ owner, eventId, indexes, amount, ...signature }) => [
      signs('ConvertPositions', { owner, eventId, indexes, amount }, signature),
    ],
    gas: CONVERSION_GAS,
    provesHoldings: true,
    check: ({ eventId, indexes, amount }, { markets }) => {
      const count = countOutcomes(eventId, markets);
      if (count === undefined) throw new PresageError('event_not_found', { eventId });
      requireArgument(indexes < 1n << BigInt(count), 'indexes', `below ${count}, the number of outcomes`);
      requireArgument(amount > 0n, 'amount', 'above 0');
    },
    call: (request, { contracts, markets }) => {
      const { owner, eventId, indexes, amount } = request;
      const args = [owner, eventId, indexes, amount, ...proofOf(request)] as const;
      const outcomes = BigInt(countOutcomes(eventId, markets) ?? 0);
      return {
        ...contracts.conditionalTokens.call('convertPositionsBySig', args),
        gas: CONVERSION_GAS + CONVERSION_GAS_PER_OUTCOME * outcomes,
      };
    },
  }),
  'ctf-redemption': relayedOperation({
    endpoint: {
      id: 'relayRedemption',
      summary: 'Redeem the winning shares of a market',
      errors: ['nothing_to_redeem'],
      input: signedInput('CtfRedemptionInput', { ...redemptionFields, marketAddress: optionalAddress }),
    },
    signs: ({ owner, ...redemption }) => [signsRedemption(owner, redemption)],
    gas: REDEMPTION_GAS,
    provesHoldings: true,
    check: (request, policy) => checkRedemption(policy, request),
    call: (request, { contracts, markets }) => {
      const { owner, collateralToken, parentCollectionId, conditionId, indexSets } = request;
      const what = [owner, collateralToken, parentCollectionId, conditionId, indexSets] as const;
      const call = contracts.conditionalTokens.call('redeemPositionsBySig', [...what, ...proofOf(request)]);
      return { ...call, gas: redemptionGas(request, markets) };
    },
    redemptions: (request) => [request],
  }),
  // Each redemption is signed separately; the contract skips those whose nonces show that somebody else has carried them out.
  'batch-ctf-redemption': relayedOperation({
    endpoint: {
      id: 'relayRedemptions',
      summary: 'Redeem several markets in one transaction',
      errors: ['nothing_to_redeem'],
      input: requestInput('BatchRedemptionInput', BatchRedemptionInput, (body, reader) => ({
        ...reader.owned(body.chainId, body.owner),
        redemptions: body.redemptions.map((each, index) =>
          reader.within(`redemptions.${index}`, () => ({
            ...readFields(redemptionFields, each, reader),
            marketAddress: reader.address('marketAddress', each.marketAddress),
            ...reader.signature(each),
          })),
        ),
      })),
    },
    signs: ({ owner, redemptions }) => redemptions.map((each) => signsRedemption(owner, each)),
    gas: BATCH_GAS,
    provesHoldings: true,
    check: ({ redemptions }, policy) => {
      for (const [index, each] of redemptions.entries()) checkRedemption(policy, each, `redemptions.${index}.`);
    },
    call: ({ owner, redemptions }, { contracts, markets }) => {
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
        gas: redemptions.reduce((gas, each) => gas + redemptionGas(each, markets), BATCH_GAS),
      };
    },
    redemptions: ({ redemptions }) => redemptions,
  }),
};

function signsAmount(type: 'SplitPosition' | 'MergePositions', request: AmountRequest): SignedMessage {
  const { owner, collateralToken, conditionId, amount, ...signature } = request;
  return signs(type, { owner, collateralToken, conditionId, amount }, signature);
}

function amountArguments(request: AmountRequest) {
  const { owner, collateralToken, conditionId, amount } = request;
  return [owner, collateralToken, conditionId, amount, ...proofOf(request)] as const;
}

function signsRedemption(owner: Address, redemption: SignedRedemption): SignedMessage {
  const { collateralToken, parentCollectionId, conditionId, indexSets, ...signature } = redemption;
  return signs('RedeemPositions', { owner, collateralToken, parentCollectionId, conditionId, indexSets }, signature);
}

/** `at` is the path of the redemption in the body. */
function checkRedemption(policy: CallPolicy, redemption: SignedRedemption, at = ''): void {
  const { parentCollectionId, conditionId, marketAddress, indexSets } = redemption;
  checkCollateral(policy, redemption, at);
  const markets = policy.markets.decidedBy(conditionId);
  requireArgument(markets.length > 0, `${at}conditionId`, 'the id of a market of this service, or of the event of one');
  requireArgument(parentCollectionId === ZERO_WORD, `${at}parentCollectionId`, 'zero bytes: the top level');
  const contracts = markets.map(({ contractAddress }) => contractAddress);
  const isItsOwn = marketAddress === undefined || contracts.includes(marketAddress);
  const own = contracts.slice(0, 4).map(toChecksumAddress).join(' or ');
  requireArgument(isItsOwn, `${at}marketAddress`, `the market's contract, ${own}`);
  if (markets[0]?.event === undefined) return;
  const sets = new Set(markets.flatMap(indexSetsOf));
  const areKnown = indexSets.every((set) => sets.has(set));
  requireArgument(areKnown, `${at}indexSets`, 'index sets of markets of the event: 1 << index, or all others');
}

function redemptionGas({ conditionId, indexSets }: Redemption, markets: Pick<RelayerMarkets, 'decidedBy'>): bigint {
  const outcomes = BigInt(countOutcomes(conditionId, markets) ?? 0);
  return REDEMPTION_GAS + REDEMPTION_GAS_PER_OUTCOME * outcomes * BigInt(indexSets.length - 1);
}

function countOutcomes(eventId: Bytes32, markets: Pick<RelayerMarkets, 'decidedBy'>): number | undefined {
  return markets.decidedBy(eventId)[0]?.event?.count;
}
