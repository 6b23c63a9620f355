// A proposal as a call: its bond is paid by the proposer's permit, or by the operator, who then signs a permit of their own.
import type { Contracts } from '@presage/chain';
import {
  type Address,
  HALF,
  type Hex,
  PresageError,
  type ProposeResolutionRequest,
  proposeResolutionOperation,
  type Signature,
  SPONSORED_PROPOSAL_TYPES,
  YES,
} from '@presage/protocol';
import { checkMarketAt } from '../call-policy.ts';
import { useOf } from '../nonce-use.ts';
import { proofOf } from '../signature-proof.ts';
import { relayedOperation } from './operation.ts';

const NO_WORD = `0x${'00'.repeat(32)}` as const;
const NO_PERMIT: Signature = { deadline: 0n, v: 0, r: NO_WORD, s: NO_WORD };

export const relayedProposal = relayedOperation(proposeResolutionOperation, {
  gas: 2_000_000n,
  provesHoldings: true,
  check: ({ marketAddress, bondPermit }, policy) => {
    checkMarketAt(policy, marketAddress);
    const { bondPermitRequired, bonds } = policy;
    if (bondPermit !== undefined || (!bondPermitRequired && bonds.isOpen)) return;
    throw new PresageError('invalid_request_body', {
      field: 'bondPermitDeadline',
      expected: bondPermitRequired
        ? 'a permit for the bond: this chain requires it'
        : 'a permit for the bond: this service sponsors none',
    });
  },
  call: (request, { contracts, sponsor }) => {
    const { owner, bondPermit } = request;
    const stablecoin = contracts.stablecoin.address;
    if (bondPermit !== undefined) {
      return {
        ...encode(contracts, request, { payer: owner, permit: bondPermit }),
        uses: [useOf(owner, stablecoin)],
        deadlines: [bondPermit.deadline],
      };
    }
    if (sponsor === undefined) throw new PresageError('no_relayer_for_chain');
    const payer = sponsor.address;
    return {
      ...encode(contracts, request, { payer, permit: NO_PERMIT }),
      // Others that draw on the budget wait behind this one: all of them use the operator's nonce at the stablecoin.
      uses: [useOf(payer, stablecoin)],
      complete: async () => {
        const { bond, permit } = await sponsor.signBond(request);
        return { data: encode(contracts, request, { payer, permit }).data, bond };
      },
    };
  },
  /** The chain knows bond and round; a proposer who has a sponsor pay may have signed the short form. */
  digests: ({ marketAddress, outcome, bondPermit }, { contracts }, hash) => {
    let terms: ReturnType<typeof readTerms> | undefined;
    return async (message) => {
      terms ??= readTerms(contracts, marketAddress);
      const long = hash({ ...message, ...(await terms) });
      if (bondPermit !== undefined || outcome === HALF) return [long];
      return [long, hash({ ...message, outcome: outcome === YES }, SPONSORED_PROPOSAL_TYPES)];
    };
  },
});

function encode(
  contracts: Contracts,
  request: ProposeResolutionRequest,
  { payer, permit }: { readonly payer: Hex; readonly permit: Signature },
) {
  const { owner, outcome, marketAddress } = request;
  const { deadline: permitDeadline, v, r, s } = permit;
  const payment = { payer, permitDeadline, v, r, s };
  const args = [owner, outcome, ...proofOf(request), payment] as const;
  return contracts.market(marketAddress).call('proposeResolutionBySig', args);
}

async function readTerms(contracts: Contracts, address: Address): Promise<{ bond: bigint; round: number }> {
  const market = contracts.market(address);
  const reads = [market.reading('bond', []), market.reading('resolution', [])] as const;
  const [bond, { round }] = await contracts.readTogether(reads, { block: 'pending' });
  return { bond, round: round + 1 };
}
