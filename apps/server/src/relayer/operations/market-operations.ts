// Operations of a market's contract: proposing how it is resolved, and settling it after the dispute window.
import type { Contracts } from '@presage/chain';
import {
  type Address,
  HALF,
  type Hex,
  isDecided,
  type MarketFacts,
  NO,
  PresageError,
  type ProposedOutcome,
  SPONSORED_PROPOSAL_TYPES,
  Uint8Input,
  Uint64Input,
  YES,
  ZERO_ADDRESS,
} from '@presage/protocol';
import { poll } from '@presage/runtime';
import Type, { type Static } from 'typebox';
import { checkMarketAt } from '../call-policy.ts';
import { useOf } from '../nonce-use.ts';
import type { RelayerMarkets } from '../ports.ts';
import { proofOf } from '../signature-proof.ts';
import { relayedOperation, signs } from './operation.ts';
import { AddressText, Deadline, ProposedOutcomeInput, requestInput, SignaturePart, signed } from './request-input.ts';
import { type Owned, type RequestReader, type Signature, ZERO_WORD } from './request-reader.ts';

const NO_PERMIT: Signature = { deadline: 0n, v: 0, r: ZERO_WORD, s: ZERO_WORD };
const BOND_NAMES = { deadline: 'bondPermitDeadline', v: 'bondV', r: 'bondR', s: 'bondS' } as const;
const RESOLUTION_GAS = 2_000_000n;
/** Gas for the payout of an outcome and for closing its market. */
const RESOLUTION_GAS_PER_OUTCOME = 60_000n;
const INDEXER_TIMEOUT_MS = 5_000;
const POLL_MS = 50;

const ProposeResolutionInput = Type.Object({
  chainId: Uint64Input,
  marketAddress: AddressText,
  proposer: AddressText,
  outcome: Type.Union([Type.Boolean(), ...ProposedOutcomeInput.anyOf], {
    description: 'true or 0 = YES, false or 1 = NO, 2 = the question has no answer: each share pays half',
  }),
  ...signed,
  bondPermitDeadline: Type.Optional(Deadline),
  bondV: Type.Optional(Uint8Input),
  bondR: Type.Optional(SignaturePart),
  bondS: Type.Optional(SignaturePart),
});

type ProposalBody = Static<typeof ProposeResolutionInput>;

const SettleMarketInput = Type.Object({
  chainId: Uint64Input,
  marketAddress: AddressText,
  settler: AddressText,
  winningOutcome: ProposedOutcomeInput,
  ...signed,
});

interface Proposal extends Owned, Signature {
  readonly marketAddress: Address;
  readonly outcome: ProposedOutcome;
  readonly bondPermit?: Signature;
}

export const marketOperations = {
  // The bond is paid with the proposer's permit, or by the operator, who then signs a permit.
  'propose-resolution': relayedOperation({
    endpoint: {
      id: 'relayProposal',
      summary: 'Propose how an expired market is to be resolved',
      description:
        'Without a bond permit the operator puts up the bond, where bondPermitRequired is false. The result of an event is proposed by the market of the outcome that won, with true, or by any of them with 2: then all outcomes pay the same.',
      errors: ['event_needs_winner'],
      input: requestInput(
        'ProposeResolutionInput',
        ProposeResolutionInput,
        (body, reader): Proposal => ({
          ...reader.owned(body.chainId, body.proposer, 'proposer'),
          marketAddress: reader.address('marketAddress', body.marketAddress),
          outcome: readOutcome(body.outcome, reader),
          ...reader.signature(body),
          ...readBondPermit(body, reader),
        }),
      ),
    },
    signs: ({ owner, chainId: _, marketAddress: market, outcome, bondPermit, ...signature }) => {
      const message = { market, proposer: owner, outcome, payer: bondPermit ? owner : ZERO_ADDRESS };
      return [{ ...signs('ProposeResolution', message, signature), contract: market }];
    },
    gas: RESOLUTION_GAS,
    provesHoldings: true,
    check: ({ marketAddress, outcome, bondPermit }, policy) => {
      checkMarketAt(policy, marketAddress);
      const market = policy.markets.at(marketAddress);
      if (outcome === NO && market?.event !== undefined) {
        throw new PresageError('event_needs_winner', { marketId: market.marketId, eventId: market.event.id });
      }
      const { bondPermitRequired, bonds } = policy;
      if (bondPermit !== undefined || (!bondPermitRequired && bonds.isOpen)) return;
      throw new PresageError('invalid_request_body', {
        field: 'bondPermitDeadline',
        expected: bondPermitRequired
          ? 'a permit for the bond: this chain requires it'
          : 'a permit for the bond: this service sponsors none',
      });
    },
    call: (request, { contracts, markets, sponsor }) => {
      const { owner, bondPermit } = request;
      const gas = resolutionGas(markets.at(request.marketAddress));
      const stablecoin = contracts.stablecoin.address;
      if (bondPermit !== undefined) {
        return {
          ...encode(contracts, request, { payer: owner, permit: bondPermit }),
          gas,
          uses: [useOf(owner, stablecoin)],
          deadlines: [bondPermit.deadline],
        };
      }
      if (sponsor === undefined) throw new PresageError('no_relayer_for_chain');
      const payer = sponsor.address;
      return {
        ...encode(contracts, request, { payer, permit: NO_PERMIT }),
        gas,
        // Serializes sponsored proposals: all of them use the operator's nonce at the stablecoin.
        uses: [useOf(payer, stablecoin)],
        complete: async () => {
          const { bond, permit } = await sponsor.signBond(request.marketAddress, request.deadline);
          return { data: encode(contracts, request, { payer, permit }).data, bond };
        },
      };
    },
    /** Adds bond and round from the chain. A proposer with a sponsored bond may have signed the short form instead. */
    digests: ({ marketAddress, outcome, bondPermit }, { contracts }, hash) => {
      let terms: ReturnType<typeof readTerms> | undefined;
      return async (message) => {
        terms ??= readTerms(contracts, marketAddress);
        const long = hash({ ...message, ...(await terms) });
        if (bondPermit !== undefined || outcome === HALF) return [long];
        return [long, hash({ ...message, outcome: outcome === YES }, SPONSORED_PROPOSAL_TYPES)];
      };
    },
  }),
  'settle-market': relayedOperation({
    endpoint: {
      id: 'relaySettling',
      summary: 'Settle a market after its dispute window',
      description:
        'Of a market that is settled with that outcome already, the answer is the transaction that settled it.',
      input: requestInput('SettleMarketInput', SettleMarketInput, (body, reader) => ({
        ...reader.owned(body.chainId, body.settler, 'settler'),
        marketAddress: reader.address('marketAddress', body.marketAddress),
        winningOutcome: reader.proposedOutcome('winningOutcome', body.winningOutcome),
        ...reader.signature(body),
      })),
    },
    signs: ({ owner, marketAddress: market, winningOutcome, ...signature }) => [
      { ...signs('SettleMarket', { market, settler: owner, winningOutcome }, signature), contract: market },
    ],
    gas: RESOLUTION_GAS,
    check: ({ marketAddress }, policy) => checkMarketAt(policy, marketAddress),
    call: (request, { contracts, markets }) => {
      const { marketAddress, owner, winningOutcome } = request;
      const call = contracts.market(marketAddress).call('settleBySig', [owner, winningOutcome, ...proofOf(request)]);
      return { ...call, gas: resolutionGas(markets.at(marketAddress)) };
    },
    findEffect: async ({ marketAddress, winningOutcome }, reason, { markets }) =>
      reason.startsWith('MarketAlreadyResolved') ? findSettled(markets, marketAddress, winningOutcome) : undefined,
  }),
};

/** Gas of proposing or settling: a proposal first settles earlier ones that can be settled, and a result closes every market of an event. */
function resolutionGas(market: MarketFacts | undefined): bigint {
  return RESOLUTION_GAS + RESOLUTION_GAS_PER_OUTCOME * BigInt(market?.event?.count ?? 0);
}

/** Reads the outcome: a boolean or 0 or 1 for YES or NO; 2 means that the question has no answer. */
function readOutcome(outcome: ProposalBody['outcome'], reader: RequestReader): ProposedOutcome {
  if (typeof outcome === 'boolean') return outcome ? YES : NO;
  return reader.proposedOutcome('outcome', outcome);
}

function readBondPermit(body: ProposalBody, reader: RequestReader): { bondPermit?: Signature } {
  const { bondPermitDeadline: deadline, bondV: v, bondR: r, bondS: s } = body;
  if (deadline !== undefined && v !== undefined && r !== undefined && s !== undefined) {
    return { bondPermit: reader.keySignature({ deadline, v, r, s }, BOND_NAMES) };
  }
  const names = Object.values(BOND_NAMES);
  const missing = names.filter((name) => body[name] === undefined);
  if (missing.length < names.length) reader.refuse(missing[0], 'all fields of the bond permit, or none');
  return {};
}

function encode(
  contracts: Contracts,
  request: Proposal,
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

/** Waits for the indexer, since the chain may show the result a moment before the journal does. */
async function findSettled(
  markets: RelayerMarkets,
  address: Address,
  winningOutcome: ProposedOutcome,
): Promise<Hex | undefined> {
  const findDecided = () => {
    const market = markets.at(address);
    const resolution = market && markets.resolution(market.marketId);
    return isDecided(resolution) && resolution;
  };
  const decided = await poll(findDecided, { timeoutMs: INDEXER_TIMEOUT_MS, pollMs: POLL_MS });
  const outcome = decided && (decided.winningOutcome ?? HALF);
  return outcome === winningOutcome ? decided?.resolvedAt?.transactionHash : undefined;
}
