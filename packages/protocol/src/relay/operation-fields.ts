// The fields that bodies of relayed operations share; addresses and signatures are judged after the shape, each with its own text.
import Type from 'typebox';
import { integerInput, Uint8Input, Uint64Input, Uint256Input } from '../wire/scalars.ts';

export const AddressField = Type.String({ description: '0x and 40 hex digits' });
export const SignaturePart = Type.String({ description: '0x and 64 hex digits' });
export const Deadline = Type.Union(Uint256Input.anyOf, {
  description: 'Unix seconds, as a decimal string or a number',
});
export const ProposedOutcomeInput = integerInput(2n, '0 = YES, 1 = NO, 2 = each share pays half');

export const owned = { chainId: Uint64Input, owner: AddressField };
export const signedByKey = { deadline: Deadline, v: Uint8Input, r: SignaturePart, s: SignaturePart };
/** A wallet that is a contract (EIP-1271) gives `signature` in place of v, r and s. */
export const signed = {
  deadline: Deadline,
  v: Type.Optional(Uint8Input),
  r: Type.Optional(SignaturePart),
  s: Type.Optional(SignaturePart),
  signature: Type.Optional(
    Type.String({ description: 'of a wallet that is a contract (EIP-1271), in place of v, r and s' }),
  ),
};
