// Lets a contract of ours draw a wallet's stablecoin, by EIP-2612: only keys can sign it.
import Type from 'typebox';
import { Uint256Input } from '../wire/scalars.ts';
import { type RequestOf, relayOperation, signs } from './operation.ts';
import { AddressField, owned, signedByKey } from './operation-fields.ts';

export const StablecoinPermitInput = Type.Object({
  ...owned,
  spender: AddressField,
  value: Uint256Input,
  ...signedByKey,
});

export type StablecoinPermitRequest = RequestOf<typeof stablecoinPermitOperation>;

export const stablecoinPermitOperation = relayOperation({
  name: 'stablecoin-permit',
  id: 'relayPermit',
  summary: 'Let a contract of ours draw a wallet’s stablecoin',
  description: 'The spender is the settlement or the conditional-tokens contract.',
  errors: ['spender_not_allowed'],
  body: StablecoinPermitInput,
  read: (body, reader) => ({
    ...reader.owned(body.chainId, body.owner),
    spender: reader.address('spender', body.spender),
    value: reader.integer('value', body.value),
    ...reader.keySignature(body),
  }),
  signs: ({ owner, spender, value, ...signature }) => [signs('Permit', { owner, spender, value }, signature)],
});

export const { parse: parseStablecoinPermit } = stablecoinPermitOperation;
