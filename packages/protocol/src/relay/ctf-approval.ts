// Lets the settlement contract move a wallet's shares, or no longer.
import Type from 'typebox';
import { relayOperation, signs } from './operation.ts';
import { AddressField, owned, signed } from './operation-fields.ts';

export const CtfApprovalInput = Type.Object({
  ...owned,
  operator: AddressField,
  approved: Type.Boolean({ description: 'true or false' }),
  ...signed,
});

export const ctfApprovalOperation = relayOperation({
  name: 'ctf-approval',
  id: 'relayApproval',
  summary: 'Let the settlement contract move a wallet’s shares',
  body: CtfApprovalInput,
  read: (body, reader) => ({
    ...reader.owned(body.chainId, body.owner),
    operator: reader.address('operator', body.operator),
    approved: body.approved,
    ...reader.signature(body),
  }),
  signs: ({ owner, operator, approved, ...signature }) => [
    signs('SetApprovalForAll', { owner, operator, approved }, signature),
  ],
});

export const { parse: parseCtfApproval } = ctfApprovalOperation;
