// Proposes how an expired market is to be resolved; the bond is paid by the proposer's permit, or by the operator.
import Type, { type Static } from 'typebox';
import { type Address, ZERO_ADDRESS } from '../core/ids.ts';
import { NO, YES } from '../core/order.ts';
import type { ProposedOutcome } from '../core/resolution.ts';
import { Uint8Input, Uint64Input } from '../wire/scalars.ts';
import { type RequestOf, relayOperation, signs } from './operation.ts';
import { AddressField, Deadline, ProposedOutcomeInput, SignaturePart, signed } from './operation-fields.ts';
import type { Owned, RequestReader, Signature } from './request-reader.ts';

export const ProposeResolutionInput = Type.Object({
  chainId: Uint64Input,
  marketAddress: AddressField,
  proposer: AddressField,
  outcome: Type.Union([Type.Boolean(), ...ProposedOutcomeInput.anyOf], {
    description: 'true or 0 = YES, false or 1 = NO, 2 = the question has no answer: each share pays half',
  }),
  ...signed,
  bondPermitDeadline: Type.Optional(Deadline),
  bondV: Type.Optional(Uint8Input),
  bondR: Type.Optional(SignaturePart),
  bondS: Type.Optional(SignaturePart),
});
type ProposeResolutionBody = Static<typeof ProposeResolutionInput>;

const BOND_NAMES = { deadline: 'bondPermitDeadline', v: 'bondV', r: 'bondR', s: 'bondS' } as const;

export interface Proposal extends Owned, Signature {
  readonly marketAddress: Address;
  readonly outcome: ProposedOutcome;
  readonly bondPermit?: Signature;
}

export type ProposeResolutionRequest = RequestOf<typeof proposeResolutionOperation>;

export const proposeResolutionOperation = relayOperation({
  name: 'propose-resolution',
  id: 'relayProposal',
  summary: 'Propose how an expired market is to be resolved',
  description: 'Without a bond permit the operator puts up the bond, where bondPermitRequired is false.',
  body: ProposeResolutionInput,
  read: (body, reader): Proposal => ({
    ...reader.owned(body.chainId, body.proposer, 'proposer'),
    marketAddress: reader.address('marketAddress', body.marketAddress),
    outcome: readOutcome(body, reader),
    ...reader.signature(body),
    ...readBondPermit(body, reader),
  }),
  signs: ({ owner, chainId: _, marketAddress: market, outcome, bondPermit, ...signature }) => {
    const message = { market, proposer: owner, outcome, payer: bondPermit ? owner : ZERO_ADDRESS };
    return [{ ...signs('ProposeResolution', message, signature), contract: market }];
  },
});

export const { parse: parseProposeResolution } = proposeResolutionOperation;

/** Booleans are what every client knows; 2 says that the question has no answer. */
function readOutcome({ outcome }: ProposeResolutionBody, reader: RequestReader): ProposedOutcome {
  if (typeof outcome === 'boolean') return outcome ? YES : NO;
  return reader.proposedOutcome('outcome', outcome);
}

function readBondPermit(body: ProposeResolutionBody, reader: RequestReader): { bondPermit?: Signature } {
  const { bondPermitDeadline: deadline, bondV: v, bondR: r, bondS: s } = body;
  if (deadline !== undefined && v !== undefined && r !== undefined && s !== undefined) {
    return { bondPermit: reader.keySignature({ deadline, v, r, s }, BOND_NAMES) };
  }
  const names = Object.values(BOND_NAMES);
  const missing = names.filter((name) => body[name] === undefined);
  if (missing.length < names.length) reader.refuse(missing[0], 'all fields of the bond permit, or none');
  return {};
}
