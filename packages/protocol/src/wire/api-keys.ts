// API keys on the wire: registered by a wallet's signature, listed and revoked by its token.
import Type from 'typebox';
import { AddressText, Uint64Input, UnixSeconds } from './scalars.ts';

export const ApiKeyRegistrationInput = Type.Object({
  address: AddressText,
  signature: Type.String({ description: 'a personal-sign signature of the registration message, 65 bytes of hex' }),
  name: Type.Optional(Type.String({ maxLength: 100, description: 'a text of at most 100 characters' })),
  expiresAt: Type.Optional(Uint64Input),
});

export const ApiKeyAnswer = Type.Object({
  success: Type.Literal(true),
  api_key_id: Type.String(),
  api_private_key: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Ed25519 seed, shown once' }),
  message: Type.String(),
});

export const ApiKeyList = Type.Object({
  apiKeys: Type.Array(
    Type.Object({
      api_key_id: Type.String(),
      name: Type.String(),
      createdAt: UnixSeconds,
      expiresAt: Type.Union([UnixSeconds, Type.Null()]),
      active: Type.Boolean(),
    }),
  ),
  count: Type.Integer(),
});

export const ApiKeyRevokedAnswer = Type.Object({
  success: Type.Literal(true),
  api_key_id: Type.String(),
  active: Type.Literal(false),
});
