// Endpoints for API keys: registered by a wallet's signature, listed and revoked by its token.
import { type Address, PresageError, toLowerHex } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import { bodyOf, invalidField } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { textKind } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const tag = 'API keys';
const MESSAGE = 'Keep api_private_key safe: it is shown once and cannot be retrieved later.';
const KEY_ID = textKind({
  schema: Type.String({ minLength: 1 }),
  description: 'API key id',
  read: (text) => text,
});

export function apiKeyEndpoints({ keys }: Pick<ApiServices, 'keys'>, wallNowSeconds: () => number): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/api/v1/api-keys',
      id: 'registerApiKey',
      tag,
      access: 'wallet',
      summary: 'Register an API key by wallet signature',
      body: bodyOf(wire.ApiKeyRegistrationInput),
      answer: wire.ApiKeyAnswer,
      errors: ['invalid_wallet_signature', 'too_many_api_keys'],
      handle: async ({ body: { address, signature, name = '', expiresAt } }) => {
        const expires = expiresAt === undefined ? undefined : Number(expiresAt);
        if (expires !== undefined && !(expires > wallNowSeconds() && Number.isSafeInteger(expires))) {
          throw invalidField('expiresAt', `Unix seconds after ${wallNowSeconds()}`);
        }
        const registration = { addressText: address, owner: toLowerHex(address), signature, name, expiresAt: expires };
        const { keyId, privateKeyHex } = await keys.register(registration);
        return { success: true, api_key_id: keyId, api_private_key: privateKeyHex, message: MESSAGE } as const;
      },
    }),
    endpoint({
      method: 'post',
      path: '/api/v1/api-keys/list',
      id: 'listApiKeys',
      tag,
      access: 'key',
      summary: "The wallet's API keys",
      answer: wire.ApiKeyList,
      handle: async ({ wallet }) => {
        const apiKeys = keys.list(known(wallet)).map(({ key, isActive }) => ({
          api_key_id: key.keyId,
          name: key.name,
          createdAt: key.createdAt,
          expiresAt: key.expiresAt ?? null,
          active: isActive,
        }));
        return { apiKeys, count: apiKeys.length };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/api/v1/api-keys/:id',
      id: 'revokeApiKey',
      tag,
      access: 'key',
      summary: 'Revoke an API key of the same wallet',
      params: { id: KEY_ID },
      answer: wire.ApiKeyRevokedAnswer,
      errors: ['not_found', 'api_key_not_yours'],
      handle: async ({ params: { id }, wallet }) => {
        await keys.revoke(known(wallet), id);
        return { success: true, api_key_id: id, active: false } as const;
      },
    }),
  ];
}

/** Requires a known caller, since keys belong to a wallet. */
function known(wallet: Address | undefined): Address {
  if (wallet === undefined) throw new PresageError('missing_authorization_header');
  return wallet;
}
